// Generated from tenantbooking.yaml by generate.mjs. Do not edit.
import type { Operation } from "../client.js";
import type { ProblemOf } from "../problem.js";

export interface components {
    schemas: {
        TenantId: string;
        PropertyId: string;
        RoomTypeId: string;
        RatePlanId: string;
        DraftId: string;
        QuoteId: string;
        ReservationId: string;
        IntentId: string;
        Code: string;
        /** Format: date-time */
        Instant: string;
        Locale: string;
        /** @enum {unknown} */
        Currency: "AFN" | "IRR" | "PKR" | "AED" | "USD" | "EUR" | "GBP";
        /** @enum {unknown} */
        Method: "card" | "paypal" | "mfs" | "cash_on_arrival";
        /** @enum {unknown} */
        State: "quoting" | "holding" | "collecting_details" | "paying" | "confirming" | "confirmed" | "abandoned" | "failed";
        Money: {
            amountMinor: number;
            currency: components["schemas"]["Currency"];
            exponent: number;
        };
        Stay: {
            /** Format: date */
            checkIn: string;
            /** Format: date */
            checkOut: string;
        };
        ShownStay: {
            /** Format: date */
            checkIn: string;
            /** Format: date */
            checkOut: string;
            nights: number;
        };
        Occupancy: {
            adults: number;
            children: number;
            rooms: number;
        };
        QuoteRequest: {
            propertyId: components["schemas"]["PropertyId"];
            roomTypeId: components["schemas"]["RoomTypeId"];
            ratePlanId: components["schemas"]["RatePlanId"];
            stayWindow: components["schemas"]["Stay"];
            occupancy: components["schemas"]["Occupancy"];
            promoCode?: string;
            draftId?: components["schemas"]["DraftId"];
        };
        Line: {
            /** @description room, discount, tax or fee */
            kind: string;
            /** @description In the hotel's own words and language */
            description: string;
            amount: components["schemas"]["Money"];
        };
        CancellationPolicy: {
            ref: string;
            /** @description Cancelling is free until so many hours before midnight at the start of the day of arrival, at the hotel */
            freeUntilHoursBefore: number;
            /** @description Of the whole price, after that */
            penaltyPercent: number;
            /** @description Nights of the stay, after that. In place of the percentage */
            penaltyNights?: number;
            description: string;
        };
        FxSnapshot: {
            fxSnapshotId?: string;
            base: components["schemas"]["Currency"];
            quote: components["schemas"]["Currency"];
            rate: number;
            source: string;
            capturedAt: components["schemas"]["Instant"];
        };
        Quoted: {
            draftId: components["schemas"]["DraftId"];
            quoteId: components["schemas"]["QuoteId"];
            lines: components["schemas"]["Line"][];
            total: components["schemas"]["Money"];
            fxSnapshot?: components["schemas"]["FxSnapshot"];
            cancellationPolicy: components["schemas"]["CancellationPolicy"];
            expiresAt: components["schemas"]["Instant"];
            serverTime: components["schemas"]["Instant"];
            flowState: components["schemas"]["State"];
        };
        /** @description Texts are kept composed (NFC) and without outer spaces */
        Guest: {
            /** @description One of the two names has a letter */
            firstName: string;
            /** @description Empty for a guest of one name */
            lastName: string;
            /**
             * Format: email
             * @description One mailbox (RFC 5321), also an international one; its domain has several labels
             */
            email: string;
            /** @description With its country code, in any spelling and digits; it is kept and answered in E.164 */
            phone: string;
            locale?: components["schemas"]["Locale"];
            specialRequests?: string;
        };
        Draft: {
            draftId: components["schemas"]["DraftId"];
            flowState: components["schemas"]["State"];
            version: number;
            quote: {
                quoteId: components["schemas"]["QuoteId"];
                propertyId: components["schemas"]["PropertyId"];
                roomTypeId: components["schemas"]["RoomTypeId"];
                ratePlanId: components["schemas"]["RatePlanId"];
                stayWindow: components["schemas"]["ShownStay"];
                occupancy: components["schemas"]["Occupancy"];
                promoCode?: string;
                lines: components["schemas"]["Line"][];
                total: components["schemas"]["Money"];
                fxSnapshot?: components["schemas"]["FxSnapshot"];
                cancellationPolicy: components["schemas"]["CancellationPolicy"];
                expiresAt: components["schemas"]["Instant"];
            };
            hold?: {
                reservationId: components["schemas"]["ReservationId"];
                reservationCode: components["schemas"]["Code"];
                quoteId: components["schemas"]["QuoteId"];
                holdExpiresAt: components["schemas"]["Instant"];
            };
            guest?: components["schemas"]["Guest"];
            payment?: {
                intentId: components["schemas"]["IntentId"];
                method: components["schemas"]["Method"];
                provider: string;
                amount: components["schemas"]["Money"];
            };
            errors?: {
                atState: components["schemas"]["State"];
                errorCode: string;
                occurredAt: components["schemas"]["Instant"];
            }[];
            createdAt: components["schemas"]["Instant"];
            expiresAt?: components["schemas"]["Instant"];
            serverTime: components["schemas"]["Instant"];
        };
        Outcome: {
            flowState: components["schemas"]["State"];
            reservationId?: components["schemas"]["ReservationId"];
            reservationCode: components["schemas"]["Code"];
            /** @description Opens the confirmation where there is no session; only once it is confirmed. It begins with the reservationId and a dot */
            viewToken?: string;
            /**
             * @description The state of a pending payment. requires_payment: the guest pays at the redirectUrl · requires_action: the guest approves with the clientSecret, or without one on the phone · processing: the bank answers later; until then no other method can be chosen
             * @enum {unknown}
             */
            paymentStatus?: "requires_payment" | "requires_action" | "processing" | "superseded";
            /** @description Present while the guest must approve the payment on the hotel's page (3-D Secure) */
            clientSecret?: string;
        };
        Balance: {
            reservationId: components["schemas"]["ReservationId"];
            /**
             * @description Of the reservation
             * @enum {unknown}
             */
            state: "confirmed" | "check_in_started" | "checked_in" | "checkout_started" | "checked_out" | "cancelled" | "no_show" | "expired_hold";
            /** @description What the guest still has to pay; absent if nothing */
            due?: components["schemas"]["Money"];
            /** @description A payment that begins, or that is under way */
            intent?: {
                intentId: components["schemas"]["IntentId"];
                method: components["schemas"]["Method"];
                provider: string;
                /** Format: uri */
                redirectUrl?: string;
                clientSecret?: string;
                amount: components["schemas"]["Money"];
            };
            /**
             * @description Of a payment that is under way. requires_action: the guest approves with the clientSecret, or without one on the phone · processing: the bank answers later; until then no other method can be chosen
             * @enum {unknown}
             */
            paymentStatus?: "requires_action" | "processing";
            /** @description Present while the guest must approve the payment on the hotel's page (3-D Secure) */
            clientSecret?: string;
            /** @description Declined attempts of a payment that is under way */
            declines?: number;
            viewToken: string;
        };
        Confirmation: {
            reservationId: components["schemas"]["ReservationId"];
            reservationCode: components["schemas"]["Code"];
            /**
             * @description Of the reservation
             * @enum {unknown}
             */
            state: "confirmed" | "check_in_started" | "checked_in" | "checkout_started" | "checked_out" | "cancelled" | "no_show" | "expired_hold";
            /** @description Grows with each change of the reservation, for example as the SEQUENCE of a calendar file */
            version?: number;
            propertyId: components["schemas"]["PropertyId"];
            stayWindow: components["schemas"]["ShownStay"];
            rooms: {
                roomTypeId: components["schemas"]["RoomTypeId"];
                ratePlanId: components["schemas"]["RatePlanId"];
                adults: number;
                children: number;
                total: components["schemas"]["Money"];
            }[];
            total: components["schemas"]["Money"];
            /** @description What the guest still has to pay; absent if nothing */
            due?: components["schemas"]["Money"];
            /** @description The changed dates that take effect when the guest has paid what is due. Until then the booking stays as it is. */
            pendingChange?: {
                stayWindow: components["schemas"]["ShownStay"];
                total: components["schemas"]["Money"];
                payUntil: components["schemas"]["Instant"];
            };
            /** @description What all payments have captured; absent if nothing */
            paid?: components["schemas"]["Money"];
            /** @description What has been refunded of it; absent if nothing */
            refunded?: components["schemas"]["Money"];
            /** @description When the last refund was made; absent if there is none */
            refundedAt?: components["schemas"]["Instant"];
            /** @description Absent if the guest has paid by several methods */
            payment?: {
                method: components["schemas"]["Method"];
                /** @enum {unknown} */
                status: "captured" | "pending_cash";
                captured: components["schemas"]["Money"];
            };
            cancellationPolicy: components["schemas"]["CancellationPolicy"];
            /** @description Only of a booking that can be cancelled */
            freeCancellationUntil?: components["schemas"]["Instant"];
            /** @description Only of a cancelled booking */
            cancellation?: {
                penalty: components["schemas"]["Money"];
                refund: components["schemas"]["Money"];
            };
            confirmedAt: components["schemas"]["Instant"];
            viewToken: string;
        };
        Availability: {
            propertyId: components["schemas"]["PropertyId"];
            stayWindow: components["schemas"]["Stay"];
            currency: components["schemas"]["Currency"];
            stale: boolean;
            degraded?: ("inventory" | "pricing")[];
            rooms: {
                roomTypeId: components["schemas"]["RoomTypeId"];
                name: string;
                description: string;
                photos: components["schemas"]["Photo"][];
                maxOccupancy: number;
                /** @description On the fullest night; absent where it is not known */
                unitsLeft?: number;
                rates: {
                    ratePlanId: components["schemas"]["RatePlanId"];
                    name: string;
                    mealPlan: string;
                    cancellationPolicy: components["schemas"]["CancellationPolicy"] | null;
                    nightly?: components["schemas"]["Money"];
                    total?: components["schemas"]["Money"];
                    priceUnavailable: boolean;
                }[];
            }[];
        };
        House: {
            propertyId: components["schemas"]["PropertyId"];
            name: string;
            /** @description By which its days are counted, as IANA names it */
            timeZone: string;
            /** @description Members that the property service does not know are missing, as the next five */
            address?: string;
            city?: string;
            /** @description Two letters (ISO 3166-1) */
            country?: string;
            /** @description Of the reception */
            phone?: string;
            /** @description At the property */
            checkInFrom?: string;
            /** @description At the property */
            checkOutUntil?: string;
            roomTypes: components["schemas"]["RoomType"][];
            /** @description Without prices and cancellation policies */
            ratePlans: {
                ratePlanId: components["schemas"]["RatePlanId"];
                name: string;
                mealPlan: string;
            }[];
        };
        RoomType: {
            roomTypeId: components["schemas"]["RoomTypeId"];
            name: string;
            description: string;
            photos: components["schemas"]["Photo"][];
            maxOccupancy: number;
        };
        HousePolicy: {
            propertyId: components["schemas"]["PropertyId"];
            kind: string;
            title: string;
            text: string;
        };
        Photo: {
            url: string;
            alt: string;
            isHero: boolean;
        };
        /** @description How the site looks; null where that could not be had, and then degraded names it */
        Theme: {
            tenantId: components["schemas"]["TenantId"];
            themeId: string;
            publishedVersion?: string;
            version: number;
            /** @description As the hotel has published them, unread; the sandbox's are primaryColor, onPrimaryColor, accentColor, backgroundColor, surfaceColor and textColor (#rrggbb), fontFamily and cornerRadius (pixels) */
            tokens: Record<string, never>;
            logoUrl?: string;
        } | null;
        FlowConfig: {
            /** @description The way of a booking */
            steps: components["schemas"]["State"][];
            /** @description How long rooms are kept */
            holdTtlSeconds: number;
            /** @description Of one booking */
            maxRooms: number;
            /** @description Of one booking */
            maxNights: number;
        };
        /** @description What the guest has chosen on the consumer site */
        Arrival: {
            handoffArrivalId: string;
            handoffId: string;
            propertyId: string;
            stayWindow: components["schemas"]["Stay"];
            occupancy: components["schemas"]["Occupancy"];
            currency: components["schemas"]["Currency"];
            locale: components["schemas"]["Locale"];
            expiresAt: components["schemas"]["Instant"];
        };
        /** @description A language of the hotel's, and how it is written */
        Language: {
            tag: components["schemas"]["Locale"];
            /** @description In the language itself */
            displayName: string;
            /** @enum {unknown} */
            dir: "ltr" | "rtl";
            /** @enum {unknown} */
            calendar: "gregory" | "persian";
            /** @enum {unknown} */
            numberingSystem: "latn" | "arab" | "arabext";
            /** @description 1 is Monday */
            firstDayOfWeek: number;
        };
        CurrencyChoice: {
            code: components["schemas"]["Currency"];
            symbol: string;
            /** @description How many decimals minor units have: ISO 4217, not what browsers show */
            exponent: number;
            isPrimary: boolean;
        };
        Bootstrap: {
            tenantId: components["schemas"]["TenantId"];
            tenantSlug: string;
            brandName: string;
            brandTagline?: string;
            theme: components["schemas"]["Theme"];
            flowConfig: components["schemas"]["FlowConfig"];
            locale: components["schemas"]["Locale"];
            locales: components["schemas"]["Language"][];
            currency: components["schemas"]["Currency"];
            currencies: components["schemas"]["CurrencyChoice"][];
            paymentMethods: components["schemas"]["Method"][];
            policies: components["schemas"]["HousePolicy"][];
            handoffPayload?: components["schemas"]["Arrival"];
            handoffArrivalId?: string;
            /** @description The booking in progress of this session: quoted last, and neither ended nor lapsed */
            activeBookingDraftId?: string;
            /** @description What is missing and may come later */
            degraded?: ("theme" | "policies" | "activeBookingDraftId")[];
            serverTime: components["schemas"]["Instant"];
            csp: {
                nonce: string;
            };
            /**
             * Format: date-time
             * @description When the older of theme and policies was read from its service; on X-Cache HIT and STALE before serverTime
             */
            composedAt: string;
            composedFrom: {
                themeVersion: string;
                tenantConfigVersion: string;
            };
            /** @description What X-Bootstrap-Version says back on a quote and a hold */
            bootstrapVersion: string;
        };
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            code: string;
            requestId: string;
            traceId: string;
            /** @description Whether the very same request may succeed later */
            retriable: boolean;
            /** @description In how many seconds */
            retryAfter?: number;
            /** @description Only with PAYMENT.DECLINED of …/confirmation/{reservationId}/payment: opens the booking, as in an answer without an error */
            viewToken?: string;
            /** @description Only with an error of a draft: its state, as in an answer without an error. With confirmed the guest has a booking, whatever the code says */
            flowState?: string;
            /** @description Only with the flowState confirmed, for the session that booked */
            reservationId?: string;
            /** @description Only with the flowState confirmed, for the session that booked */
            reservationCode?: string;
            /** @description Only with BFF.CONSUMER.HANDOFF_REPLAYED and HANDOFF_EXPIRED: what the guest has chosen, for the form. The handoff does not count */
            handoffPayload?: components["schemas"]["Arrival"];
            violations?: {
                pointer: string;
                rule: string;
                message: string;
            }[];
        };
    };
    responses: never;
    parameters: {
        /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
        TenantSlug: string;
        /** @description The ETag of the version that is known */
        Known: string;
        DraftId: components["schemas"]["DraftId"];
        /** @description The same key does a thing once and answers the same */
        IdempotencyKey: string;
        /** @description What bootstrap said. If the hotel's currencies, languages, payment methods or settings have changed since, the answer is 410 BFF.TENANT.BOOTSTRAP_STALE and nothing is done; absent, it is not checked */
        Bootstrapped: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type TenantId = components['schemas']['TenantId'];
export type PropertyId = components['schemas']['PropertyId'];
export type RoomTypeId = components['schemas']['RoomTypeId'];
export type RatePlanId = components['schemas']['RatePlanId'];
export type DraftId = components['schemas']['DraftId'];
export type QuoteId = components['schemas']['QuoteId'];
export type ReservationId = components['schemas']['ReservationId'];
export type IntentId = components['schemas']['IntentId'];
export type Code = components['schemas']['Code'];
export type Instant = components['schemas']['Instant'];
export type Locale = components['schemas']['Locale'];
export type Currency = components['schemas']['Currency'];
export type Method = components['schemas']['Method'];
export type State = components['schemas']['State'];
export type Money = components['schemas']['Money'];
export type Stay = components['schemas']['Stay'];
export type ShownStay = components['schemas']['ShownStay'];
export type Occupancy = components['schemas']['Occupancy'];
export type QuoteRequest = components['schemas']['QuoteRequest'];
export type Line = components['schemas']['Line'];
export type CancellationPolicy = components['schemas']['CancellationPolicy'];
export type FxSnapshot = components['schemas']['FxSnapshot'];
export type Quoted = components['schemas']['Quoted'];
export type Guest = components['schemas']['Guest'];
export type Draft = components['schemas']['Draft'];
export type Outcome = components['schemas']['Outcome'];
export type Balance = components['schemas']['Balance'];
export type Confirmation = components['schemas']['Confirmation'];
export type Availability = components['schemas']['Availability'];
export type House = components['schemas']['House'];
export type RoomType = components['schemas']['RoomType'];
export type HousePolicy = components['schemas']['HousePolicy'];
export type Photo = components['schemas']['Photo'];
export type Theme = components['schemas']['Theme'];
export type FlowConfig = components['schemas']['FlowConfig'];
export type Arrival = components['schemas']['Arrival'];
export type Language = components['schemas']['Language'];
export type CurrencyChoice = components['schemas']['CurrencyChoice'];
export type Bootstrap = components['schemas']['Bootstrap'];
export type Problem = components['schemas']['Problem'];
export type ParameterTenantSlug = components['parameters']['TenantSlug'];
export type ParameterKnown = components['parameters']['Known'];
export type ParameterDraftId = components['parameters']['DraftId'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterBootstrapped = components['parameters']['Bootstrapped'];
export interface operations {
    getBootstrap: {
        parameters: {
            query?: {
                /** @description A handoff token. It is used up by this, for the session of the answer, which may repeat it until it is over. A browser that loads ahead (Sec-Purpose) and HEAD use nothing up */
                h?: string;
            };
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site. It sets the session's cookie, and lets it live for 30 days more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bootstrap"];
                };
            };
        };
    };
    consumeHandoff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description What the guest has chosen on the consumer site. It sets the session's cookie */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Arrival"];
                };
            };
        };
    };
    getAvailability: {
        parameters: {
            query: {
                /** @description One of the houses of `GET …/properties` */
                propertyId: components["schemas"]["PropertyId"];
                /** @description Not before today in the hotel's own time zone */
                checkIn: string;
                /** @description At most 366 nights later */
                checkOut: string;
                /** @description One in each room at least */
                adults: number;
                children?: number;
                rooms?: number;
            };
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rooms. What could not be had in time is absent, and degraded names it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Availability"];
                };
            };
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                /** @description Another language than Accept-Language asks for */
                locale?: components["schemas"]["Locale"];
            };
            header?: {
                /** @description The ETag of the version that is known */
                "If-None-Match"?: components["parameters"]["Known"];
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. Shared caches may keep them for five minutes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        locale: components["schemas"]["Locale"];
                        policies: components["schemas"]["HousePolicy"][];
                    };
                };
            };
            /** @description It is still that version */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listProperties: {
        parameters: {
            query?: {
                /** @description Another language than Accept-Language asks for */
                locale?: components["schemas"]["Locale"];
            };
            header?: {
                /** @description The ETag of the version that is known */
                "If-None-Match"?: components["parameters"]["Known"];
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The houses, by name. Shared caches may keep them for five minutes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        locale: components["schemas"]["Locale"];
                        properties: components["schemas"]["House"][];
                    };
                };
            };
            /** @description It is still that version */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    locale?: components["schemas"]["Locale"];
                    currency?: string;
                    /** @description false: from this call on neither the session nor its bookings in progress are counted; true: they are counted again. Records that the hotel must keep are not affected */
                    consentTelemetry?: boolean;
                };
            };
        };
        responses: {
            /** @description What is chosen now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        locale: components["schemas"]["Language"];
                        currency: components["schemas"]["Currency"];
                        consentTelemetry: boolean;
                    };
                };
            };
        };
    };
    createQuote: {
        parameters: {
            query?: never;
            header?: {
                /** @description What bootstrap said. If the hotel's currencies, languages, payment methods or settings have changed since, the answer is 410 BFF.TENANT.BOOTSTRAP_STALE and nothing is done; absent, it is not checked */
                "X-Bootstrap-Version"?: components["parameters"]["Bootstrapped"];
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteRequest"];
            };
        };
        responses: {
            /** @description The price, good until expiresAt */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quoted"];
                };
            };
        };
    };
    createHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description What bootstrap said. If the hotel's currencies, languages, payment methods or settings have changed since, the answer is 410 BFF.TENANT.BOOTSTRAP_STALE and nothing is done; absent, it is not checked */
                "X-Bootstrap-Version"?: components["parameters"]["Bootstrapped"];
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    draftId: components["schemas"]["DraftId"];
                    quoteId: components["schemas"]["QuoteId"];
                    /** @description What the guest was shown; if the quote has another total, nothing is held */
                    total?: components["schemas"]["Money"];
                };
            };
        };
        responses: {
            /** @description The rooms are kept until holdExpiresAt, by the clock of serverTime */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        draftId: components["schemas"]["DraftId"];
                        reservationId: components["schemas"]["ReservationId"];
                        reservationCode: components["schemas"]["Code"];
                        holdExpiresAt: components["schemas"]["Instant"];
                        serverTime: components["schemas"]["Instant"];
                        flowState: components["schemas"]["State"];
                    };
                };
            };
        };
    };
    getDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that is known */
                "If-None-Match"?: components["parameters"]["Known"];
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                draftId: components["parameters"]["DraftId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft; its version is the ETag. No browser keeps it (Cache-Control private, no-store) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
            /** @description It is still that version */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    abandonDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                draftId: components["parameters"]["DraftId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is over */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    setGuestDetails: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETags of the versions that may be changed, separated by commas, or *; any other tag is answered 412. An error that a guest was shown makes no new version */
                "If-Match"?: string;
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                draftId: components["parameters"]["DraftId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    guest: components["schemas"]["Guest"];
                };
            };
        };
        responses: {
            /** @description The draft, for the session by its new id; the same guest once more changes nothing, and sets no cookie */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
        };
    };
    createPaymentIntent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                draftId: components["parameters"]["DraftId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    method: components["schemas"]["Method"];
                };
            };
        };
        responses: {
            /** @description Where the payment is made: at the redirectUrl; with the clientSecret on the hotel's page, without leaving it (3-D Secure); with neither, on the guest's phone (mfs) or in cash. POST return then reports its state */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        intentId: components["schemas"]["IntentId"];
                        method: components["schemas"]["Method"];
                        provider: string;
                        /** Format: uri */
                        redirectUrl?: string;
                        clientSecret?: string;
                        amount: components["schemas"]["Money"];
                        flowState: components["schemas"]["State"];
                    };
                };
            };
        };
    };
    returnFromPayment: {
        parameters: {
            query?: {
                /** @description The token of the return URL */
                r?: string;
            };
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                draftId: components["parameters"]["DraftId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The booking is confirmed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome"];
                };
            };
            /** @description The payment is still under way, or was declined and that has been answered before. Ask again with the same key after Retry-After */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome"];
                };
            };
        };
    };
    confirmBooking: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                draftId: components["parameters"]["DraftId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The booking is confirmed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcome"];
                };
            };
        };
    };
    getConfirmation: {
        parameters: {
            query?: {
                /** @description A view token, until 30 days after the stay */
                t?: string;
            };
            header?: {
                /** @description The ETag of the version that is known */
                "If-None-Match"?: components["parameters"]["Known"];
            };
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                reservationId: components["schemas"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The confirmation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            /** @description It is still that version */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeBooking: {
        parameters: {
            query?: {
                /** @description A view token, until 30 days after the stay */
                t?: string;
            };
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                reservationId: components["schemas"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    stayWindow?: components["schemas"]["Stay"];
                    /** @description With stayWindow: the price that the guest was shown */
                    total?: components["schemas"]["Money"];
                    /** @description With stayWindow */
                    dryRun?: boolean;
                    specialRequest?: {
                        tags: ("early_check_in" | "late_check_out" | "high_floor" | "ground_floor" | "accessible" | "cot" | "extra_bed" | "prayer_mat" | "halal_meal" | "vegetarian" | "allergy" | "airport_transfer" | "quiet_room" | "connecting_rooms" | "women_only_floor" | "other")[];
                        freeText?: string;
                    };
                    guest?: components["schemas"]["Guest"];
                };
            };
        };
        responses: {
            /** @description The confirmation of the changed booking */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"] & {
                        /** @description Of changed dates, negative if the stay is cheaper */
                        priceDifference?: components["schemas"]["Money"];
                        /** @description What is refunded because of changed dates */
                        refund?: components["schemas"]["Money"];
                        dryRun?: boolean;
                    };
                };
            };
        };
    };
    cancelBooking: {
        parameters: {
            query?: {
                /** @description A view token, until 30 days after the stay */
                t?: string;
            };
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                reservationId: components["schemas"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    dryRun?: boolean;
                    /** @description What the guest was shown */
                    penalty?: components["schemas"]["Money"];
                };
            };
        };
        responses: {
            /** @description What the cancellation costs and what is refunded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        reservationId: components["schemas"]["ReservationId"];
                        /** @enum {unknown} */
                        state: "confirmed" | "cancelled";
                        penalty: components["schemas"]["Money"];
                        refund: components["schemas"]["Money"];
                        freeCancellationUntil?: components["schemas"]["Instant"];
                        dryRun?: boolean;
                    };
                };
            };
        };
    };
    payBalance: {
        parameters: {
            query?: {
                /** @description A view token, until 30 days after the stay */
                t?: string;
                /** @description The token of the return URL; it begins no payment */
                r?: string;
            };
            header?: never;
            path: {
                /** @description The hotel's slug, a domain of its own or its id. The cookie is for the one that began the session: keep to it */
                tenantSlug: components["parameters"]["TenantSlug"];
                reservationId: components["schemas"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description One of bootstrap's paymentMethods
                     * @enum {unknown}
                     */
                    method?: "card" | "paypal" | "mfs";
                    /** @description With method: the amount that the guest was shown */
                    due?: components["schemas"]["Money"];
                };
            };
        };
        responses: {
            /** @description What is still due; nothing if the booking is paid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            /** @description A payment begins: at intent.redirectUrl; with intent.clientSecret on the hotel's page (3-D Secure); with neither, on the guest's phone */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            /** @description The payment is under way. Ask again with the same key after Retry-After */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
        };
    };
    getConfirmationLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: components["schemas"]["TenantId"];
                reservationId: components["schemas"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link, and the language in which the guest booked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        reservationId: components["schemas"]["ReservationId"];
                        /**
                         * Format: uri
                         * @description Absent if no page of confirmations is configured
                         */
                        url?: string;
                        /** @description The parameter t of the confirmation */
                        viewToken: string;
                        locale: string;
                        expiresAt: components["schemas"]["Instant"];
                    };
                };
            };
        };
    };
}

type Refusal<Status extends number, Code extends string> = ProblemOf<components["schemas"]["Problem"], Status, Code>;

/** The problems of each operation, by their code. */
export interface problems {
    getBootstrap:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID">
        | Refusal<404, "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED">
        | Refusal<410, "MELMASTOON.BFF.CONSUMER.HANDOFF_EXPIRED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    consumeHandoff:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.BFF.CONSUMER.HANDOFF_EXPIRED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    getAvailability:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    listPolicies:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<404, "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<422, "MELMASTOON.BFF.CONSUMER.LOCALE_NOT_SUPPORTED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    listProperties:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<404, "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<422, "MELMASTOON.BFF.CONSUMER.LOCALE_NOT_SUPPORTED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    changeSession:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.BFF.CONSUMER.LOCALE_NOT_SUPPORTED" | "MELMASTOON.BFF.CONSUMER.CURRENCY_NOT_SUPPORTED" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    createQuote:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.BFF.TENANT.BOOTSTRAP_STALE">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.TENANT.READ_ONLY" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    createHold:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.BFF.TENANT.PRICE_CHANGED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED" | "MELMASTOON.BFF.TENANT.QUOTE_EXPIRED" | "MELMASTOON.BFF.TENANT.BOOTSTRAP_STALE">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.TENANT.READ_ONLY" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    getDraft:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    abandonDraft:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    setGuestDetails:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    createPaymentIntent:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.TENANT.PAYMENT_NOT_CONFIGURED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.TENANT.READ_ONLY" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    returnFromPayment:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<402, "MELMASTOON.PAYMENT.DECLINED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.PAYMENT.NOT_CAPTURED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    confirmBooking:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.BFF.TENANT.DRAFT_CLOSED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.PAYMENT.NOT_CAPTURED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    getConfirmation:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    changeBooking:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.RESERVATION.CHANGE_NOT_ALLOWED" | "MELMASTOON.BFF.TENANT.PRICE_CHANGED" | "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.RESERVATION.ROOM_UNAVAILABLE" | "MELMASTOON.RESERVATION.REQUEST_LIMIT" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.TENANT.SUSPENDED">;
    cancelBooking:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.RESERVATION.PENALTY_CHANGED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    payBalance:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<402, "MELMASTOON.PAYMENT.DECLINED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<409, "MELMASTOON.BFF.TENANT.PRICE_CHANGED" | "MELMASTOON.TENANT.PAYMENT_NOT_CONFIGURED" | "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.PAYMENT.NOT_CAPTURED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.TENANT.SUSPENDED" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    getConfirmationLink:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND" | "MELMASTOON.TENANT.UNKNOWN">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
}

/** How each operation is requested. */
export const table = {
    getBootstrap: {"method":"GET","path":"/bff/tenant-booking/v1/{tenantSlug}/bootstrap","query":["h"],"key":false},
    consumeHandoff: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/handoff/consume","query":[],"key":true},
    getAvailability: {"method":"GET","path":"/bff/tenant-booking/v1/{tenantSlug}/availability","query":["propertyId","checkIn","checkOut","adults","children","rooms"],"key":false},
    listPolicies: {"method":"GET","path":"/bff/tenant-booking/v1/{tenantSlug}/policies","query":["locale"],"key":false},
    listProperties: {"method":"GET","path":"/bff/tenant-booking/v1/{tenantSlug}/properties","query":["locale"],"key":false},
    changeSession: {"method":"PATCH","path":"/bff/tenant-booking/v1/{tenantSlug}/session","query":[],"key":true},
    createQuote: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/quote","query":[],"key":true},
    createHold: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/hold","query":[],"key":true},
    getDraft: {"method":"GET","path":"/bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}","query":[],"key":false},
    abandonDraft: {"method":"DELETE","path":"/bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}","query":[],"key":true},
    setGuestDetails: {"method":"PATCH","path":"/bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}","query":[],"key":true},
    createPaymentIntent: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/payment-intent","query":[],"key":true},
    returnFromPayment: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/return","query":["r"],"key":true},
    confirmBooking: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/confirm","query":[],"key":true},
    getConfirmation: {"method":"GET","path":"/bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}","query":["t"],"key":false},
    changeBooking: {"method":"PATCH","path":"/bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}","query":["t"],"key":true},
    cancelBooking: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}/cancel","query":["t"],"key":true},
    payBalance: {"method":"POST","path":"/bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}/payment","query":["t","r"],"key":true},
    getConfirmationLink: {"method":"GET","path":"/internal/tenant-booking/v1/tenants/{tenantId}/confirmations/{reservationId}/link","query":[],"key":false},
} as const satisfies Record<keyof operations, Operation>;
