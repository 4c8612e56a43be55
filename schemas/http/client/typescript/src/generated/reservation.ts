// Generated from reservation.yaml by generate.mjs. Do not edit.
import type { Operation } from "../client.js";
import type { ProblemOf } from "../problem.js";

export interface components {
    schemas: {
        TenantId: string;
        PropertyId: string;
        RoomTypeId: string;
        RatePlanId: string;
        QuoteId: string;
        ReservationId: string;
        IntentId: string;
        SessionId: string;
        DraftId: string;
        /** @enum {unknown} */
        Currency: "AFN" | "IRR" | "PKR" | "AED" | "USD" | "EUR" | "GBP";
        /** @description Millionths of the currency's main unit. */
        Micro: string;
        /** @enum {unknown} */
        Channel: "direct" | "meta" | "walk_in" | "phone_by_staff" | "ota";
        /** @enum {unknown} */
        Method: "card" | "paypal" | "mfs" | "cash_on_arrival";
        /** @enum {unknown} */
        State: "held" | "confirmed" | "check_in_started" | "checked_in" | "checkout_started" | "checked_out" | "cancelled" | "no_show" | "expired_hold";
        Actor: {
            /** @enum {unknown} */
            type: "guest" | "staff" | "system";
            id: string;
        };
        Occupants: {
            adults: number;
            children: number;
            /** @description At most 4 a room. */
            infants?: number;
        };
        Line: {
            kind: string;
            description: string;
            amountMicro: components["schemas"]["Micro"];
        };
        Window: {
            /** Format: date */
            start: string;
            /**
             * Format: date
             * @description The day of departure.
             */
            end: string;
        };
        Stay: {
            /** Format: date */
            start: string;
            /** Format: date */
            end: string;
            nights: number;
        };
        Totals: {
            grandTotalMicro: components["schemas"]["Micro"];
            currency: components["schemas"]["Currency"];
        };
        Policy: {
            ref: string;
            freeUntilHoursBefore: number;
            penaltyPercent: number;
            /** @description Nights that a late cancellation costs. In place of the percentage. */
            penaltyNights?: number;
            /** @description Without it and noShowNights, a no-show costs what a late cancellation does. */
            noShowPercent?: number;
            /** @description In place of the percentage. */
            noShowNights?: number;
            description: string;
        };
        FX: {
            fxSnapshotId?: string;
            base: components["schemas"]["Currency"];
            quote: components["schemas"]["Currency"];
            rate: number;
            source: string;
            /** Format: date-time */
            capturedAt: string;
        };
        Ask: {
            propertyId: components["schemas"]["PropertyId"];
            items: {
                roomTypeId: components["schemas"]["RoomTypeId"];
                ratePlanId: components["schemas"]["RatePlanId"];
                occupants: components["schemas"]["Occupants"];
            }[];
            stayWindow: components["schemas"]["Window"];
            currency: components["schemas"]["Currency"];
            /** @description A BCP 47 language tag. */
            locale: string;
            promoCode?: string;
            sessionId?: components["schemas"]["SessionId"];
            draftId?: components["schemas"]["DraftId"];
        };
        Quote: {
            quoteId: components["schemas"]["QuoteId"];
            tenantId: components["schemas"]["TenantId"];
            propertyId: components["schemas"]["PropertyId"];
            stayWindow: components["schemas"]["Stay"];
            locale: string;
            items: {
                roomTypeId: components["schemas"]["RoomTypeId"];
                ratePlanId: components["schemas"]["RatePlanId"];
                occupants: components["schemas"]["Occupants"];
                nights: {
                    /** Format: date */
                    date: string;
                    amountMicro: components["schemas"]["Micro"];
                    roomMicro: components["schemas"]["Micro"];
                }[];
                /** @description What the room costs that belongs to no night. */
                extras?: components["schemas"]["Line"][];
                nightlyRateMicro: components["schemas"]["Micro"];
                totalMicro: components["schemas"]["Micro"];
                currency: components["schemas"]["Currency"];
                cancellationPolicy?: components["schemas"]["Policy"];
            }[];
            /** @description What the stay costs that belongs to no room. */
            extras?: components["schemas"]["Line"][];
            /** @description The bill, as shown to the guest. */
            lines: components["schemas"]["Line"][];
            totals: components["schemas"]["Totals"];
            /** @description The strictest of the items' own, which are what counts: penalties of the items add up. */
            cancellationPolicy: components["schemas"]["Policy"];
            fxSnapshot?: components["schemas"]["FX"];
            /** Format: date-time */
            validUntil: string;
            /** Format: date-time */
            serverTime: string;
        };
        HoldRequest: {
            quoteId: components["schemas"]["QuoteId"];
            channel: components["schemas"]["Channel"];
            partnerId?: string;
            sessionId?: components["schemas"]["SessionId"];
            draftId?: components["schemas"]["DraftId"];
            quota?: components["schemas"]["Quota"];
            createdBy: components["schemas"]["Actor"];
            replacesReservationId?: components["schemas"]["ReservationId"];
        };
        /** @description A guest's change of dates that takes effect with its payment. The added nights are held until then; absent if there is none. */
        PendingChange: {
            stayWindow: components["schemas"]["Stay"];
            grandTotalMicro: components["schemas"]["Micro"];
            /** @description What is to be paid for the change. */
            dueMicro: components["schemas"]["Micro"];
            /** Format: date-time */
            payUntil: string;
        };
        /**
         * @description The limits of a guest of the hotel's site, who then needs `sessionId`. They count the room nights at the hotel that are held, or booked
         *     and neither paid for nor over: of the same session, of the same client address, and from a promise of cash on also of the same e-mail
         *     address and telephone number. The reservation keeps them for its later changes by the guest. Without a quota there is no limit.
         */
        Quota: {
            /** @description A pseudonym of the client's address, kept until the reservation ends. Without it addresses have no limit. */
            address?: string;
            /** Format: int32 */
            maxRoomNights: number;
            /** Format: int32 */
            maxAddressRoomNights: number;
        };
        ConfirmRequest: {
            method: components["schemas"]["Method"];
            /** @description Required unless cash is paid on arrival. */
            paymentIntentId?: components["schemas"]["IntentId"];
        };
        /** @enum {unknown} */
        RequestTag: "early_check_in" | "late_check_out" | "high_floor" | "ground_floor" | "accessible" | "cot" | "extra_bed" | "prayer_mat" | "halal_meal" | "vegetarian" | "allergy" | "airport_transfer" | "quiet_room" | "connecting_rooms" | "women_only_floor" | "other";
        /** @description The model that extracted the request. Present exactly if source is ai_parser. */
        Provenance: {
            model: string;
            version: string;
            confidence: number;
        };
        SpecialRequest: {
            requestId: string;
            tags: components["schemas"]["RequestTag"][];
            freeText?: string;
            locale: string;
            /** @enum {unknown} */
            source: "guest" | "staff" | "ai_parser";
            aiProvenance?: components["schemas"]["Provenance"];
            /** Format: date-time */
            addedAt: string;
            actor: components["schemas"]["Actor"];
        };
        Reservation: {
            reservationId: components["schemas"]["ReservationId"];
            tenantId: components["schemas"]["TenantId"];
            propertyId: components["schemas"]["PropertyId"];
            reservationCode: string;
            state: components["schemas"]["State"];
            pendingSagaStep?: components["schemas"]["Step"];
            /** @description Absent if the reservation waits for nothing. */
            saga?: {
                step: components["schemas"]["Step"];
                /** Format: date-time */
                since?: string;
                /** @description How often this service has tried again. */
                attempts: number;
            };
            version: number;
            channel: components["schemas"]["Channel"];
            partnerId?: string;
            primaryGuest: {
                guestId: string;
                locale: string;
            };
            stayWindow: components["schemas"]["Stay"];
            items: {
                itemId: string;
                roomTypeId: components["schemas"]["RoomTypeId"];
                ratePlanId: components["schemas"]["RatePlanId"];
                occupants: components["schemas"]["Occupants"];
                nightlyRateMicro: components["schemas"]["Micro"];
                totalMicro: components["schemas"]["Micro"];
                currency: components["schemas"]["Currency"];
                cancellationPolicy: components["schemas"]["Policy"];
                /**
                 * Format: date-time
                 * @description When the desk checked its guests in. Absent while they are expected.
                 */
                arrivedAt?: string;
            }[];
            totals: components["schemas"]["Totals"];
            hold: {
                holdId: string;
                /** Format: date-time */
                placedAt: string;
                /** Format: date-time */
                expiresAt: string;
                ttlSeconds: number;
            };
            payment?: {
                /** @enum {unknown} */
                method: "card" | "paypal" | "mfs" | "cash_on_arrival" | "mixed";
                /** @enum {unknown} */
                status: "captured" | "pending_cash";
                paymentIntentIds: components["schemas"]["IntentId"][];
                capturedMicro: components["schemas"]["Micro"];
            };
            cancellationPolicy: components["schemas"]["Policy"];
            /**
             * Format: date-time
             * @description From then on a cancellation costs a penalty: the earliest deadline of all rooms. Only while confirmed.
             */
            freeCancellationUntil?: string;
            fxSnapshot?: components["schemas"]["FX"];
            cancellation?: {
                reason: string;
                /** @enum {unknown} */
                reasonCode: "guest_cancelled" | "staff_cancelled" | "no_show" | "overbooked" | "payment_failed" | "inventory_failed" | "merged_into" | "split_into";
                /** @description The event that this service reacted to. */
                causationEventId?: string;
                /** Format: date-time */
                cancelledAt: string;
                policyApplied: components["schemas"]["Applied"];
                paymentRefundsRequested: components["schemas"]["Refund"][];
                actor: components["schemas"]["Actor"];
            };
            quoteId: components["schemas"]["QuoteId"];
            sessionId?: components["schemas"]["SessionId"];
            draftId?: components["schemas"]["DraftId"];
            createdBy: components["schemas"]["Actor"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            confirmedAt?: string;
            balance: components["schemas"]["Balance"];
            /**
             * Format: date-time
             * @description When the last refund became known to this service. Absent if nothing is refunded.
             */
            refundedAt?: string;
            pendingChange?: components["schemas"]["PendingChange"];
            /** @description The assigned rooms. */
            rooms: components["schemas"]["AssignedRoom"][];
            /** @description The electronic keys that open the rooms. */
            keyCredentialIds: components["schemas"]["KeyId"][];
            checkIn?: {
                /** Format: date-time */
                startedAt: string;
                actor: components["schemas"]["Actor"];
                /** @description Before the property's check-in time. */
                earlyCheckIn: boolean;
                /** @description The lock service could not issue a key of a present room; the desk hands it out by hand. */
                requiresManualKey: boolean;
                /** Format: date-time */
                checkedInAt?: string;
            };
            checkOut?: {
                /** Format: date-time */
                startedAt: string;
                actor: components["schemas"]["Actor"];
                /** Format: date-time */
                checkedOutAt?: string;
                folio?: components["schemas"]["Folio"];
                /** @description Something was left unpaid. */
                forced?: boolean;
                reason?: string;
                overstayedNights: number;
                earlyCheckout?: {
                    /**
                     * Format: date
                     * @description The first night that was not slept.
                     */
                    from: string;
                    policyApplied: components["schemas"]["Applied"];
                    paymentRefundsRequested: components["schemas"]["Refund"][];
                    priceMicro: components["schemas"]["Micro"];
                    inventoryAllocationIds: components["schemas"]["AllocationId"][];
                };
            };
            noShow?: {
                /** Format: date-time */
                occurredAt: string;
                actor: components["schemas"]["Actor"];
                policyApplied: components["schemas"]["Applied"];
                paymentRefundsRequested: components["schemas"]["Refund"][];
                inventoryAllocationIds: components["schemas"]["AllocationId"][];
            };
            /** @description The newest last. */
            modifications: components["schemas"]["Modification"][];
            /** @description Only for staff of the property. */
            guest?: {
                firstName: string;
                lastName: string;
                email: string;
                phone: string;
                locale: string;
                specialRequests?: string;
            };
            /** @description Only for staff. The oldest first. */
            specialRequests?: components["schemas"]["SpecialRequest"][];
        };
        /**
         * @description The answer of another service that the reservation waits for.
         * @enum {unknown}
         */
        Step: "await_inventory" | "await_payment" | "await_keys" | "await_reallocation" | "await_release";
        AllocationId: string;
        ItemId: string;
        RoomId: string;
        KeyId: string;
        RefundId: string;
        Attention: {
            reservationId: components["schemas"]["ReservationId"];
            /**
             * @description `stuck_step`: another service has not answered for 5 minutes, or for 1 minute after a failed attempt; the payment of a hold does not count.
             *     `manual_key`: the guest has a key by hand, until check-out.
             *     `room_out_of_order`: an assigned room cannot be used in a night of the stay, until another room is assigned; or inventory has
             *     lost a booked room, until a change of the reservation has taken another.
             *     `unpaid_balance`: `balance.dueMicro` is positive on the day of departure, or after a forced check-out.
             * @enum {unknown}
             */
            reason: "stuck_step" | "manual_key" | "room_out_of_order" | "unpaid_balance";
            /** Format: date-time */
            since: string;
        };
        AssignedRoom: {
            itemId: components["schemas"]["ItemId"];
            roomId: components["schemas"]["RoomId"];
        };
        /** @description The result of applying the cancellation policy. */
        Applied: {
            ref: string;
            refundEligibilityMicro: components["schemas"]["Micro"];
            penaltyMicro: components["schemas"]["Micro"];
            currency: components["schemas"]["Currency"];
        };
        Refund: {
            refundId?: components["schemas"]["RefundId"];
            paymentIntentId: components["schemas"]["IntentId"];
            amountMicro: components["schemas"]["Micro"];
        };
        Balance: {
            capturedMicro: components["schemas"]["Micro"];
            refundedMicro: components["schemas"]["Micro"];
            dueMicro: components["schemas"]["Micro"];
            currency: components["schemas"]["Currency"];
        };
        Folio: {
            folioId: string;
            /** @description What is left on the bill, for example because a company pays it later. A settled folio has at least what is due. */
            finalBalanceMicro: components["schemas"]["Micro"];
            currency: components["schemas"]["Currency"];
            settled: boolean;
        };
        Modification: {
            modificationId: string;
            /** @enum {unknown} */
            type: "date_change" | "room_change" | "room_added" | "room_removed" | "guest_count_change" | "rate_change" | "guest_profile_update" | "channel_attribution_corrected" | "manual_state_override";
            /** Format: date-time */
            occurredAt: string;
            actor: components["schemas"]["Actor"];
            /** @description The form depends on the type: see the schema of melmastoon.reservation.modified.v1. */
            before: Record<string, never>;
            after: Record<string, never>;
            policyAppliedRef?: string;
            priceDeltaMicro?: components["schemas"]["Micro"];
            refundOrChargeRequest?: {
                refundId?: components["schemas"]["RefundId"];
                paymentIntentId?: components["schemas"]["IntentId"];
                amountMicro: components["schemas"]["Micro"];
                /** @enum {unknown} */
                direction: "charge" | "refund";
                paymentRefundsRequested?: components["schemas"]["Refund"][];
            };
        };
        Problem: {
            /** Format: uri */
            type: string;
            /** @description In the language that was asked for. */
            title: string;
            status: number;
            detail: string;
            instance: string;
            code: string;
            requestId: string;
            traceId: string;
            retriable: boolean;
            retryAfter?: number;
            violations?: {
                pointer: string;
                rule: string;
                message: string;
            }[];
            /** @description Only with RESERVATION.ILLEGAL_TRANSITION, for staff: the present state, which `detail` names too */
            state?: components["schemas"]["State"];
            /**
             * Format: date
             * @description Only with RESERVATION.BEFORE_ARRIVAL
             */
            arrivalDate?: string;
            /** @description Only with RESERVATION.GUESTS_EXPECTED: the number of rooms whose guests have not arrived */
            expectedRooms?: number;
            /** @description Only with RESERVATION.BALANCE_DUE: what the guest still has to pay */
            dueMicro?: components["schemas"]["Micro"];
            /** @description Only with RESERVATION.BALANCE_DUE: of dueMicro */
            currency?: components["schemas"]["Currency"];
        };
    };
    responses: never;
    parameters: {
        /** @description It must agree with a staff token. */
        tenant: components["schemas"]["TenantId"];
        /** @description The same key gets the same answer for a day. */
        key: string;
        id: components["schemas"]["ReservationId"];
        /** @description The ETag of the version to change. Without it any version is changed. */
        match: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type TenantId = components['schemas']['TenantId'];
export type PropertyId = components['schemas']['PropertyId'];
export type RoomTypeId = components['schemas']['RoomTypeId'];
export type RatePlanId = components['schemas']['RatePlanId'];
export type QuoteId = components['schemas']['QuoteId'];
export type ReservationId = components['schemas']['ReservationId'];
export type IntentId = components['schemas']['IntentId'];
export type SessionId = components['schemas']['SessionId'];
export type DraftId = components['schemas']['DraftId'];
export type Currency = components['schemas']['Currency'];
export type Micro = components['schemas']['Micro'];
export type Channel = components['schemas']['Channel'];
export type Method = components['schemas']['Method'];
export type State = components['schemas']['State'];
export type Actor = components['schemas']['Actor'];
export type Occupants = components['schemas']['Occupants'];
export type Line = components['schemas']['Line'];
export type Window = components['schemas']['Window'];
export type Stay = components['schemas']['Stay'];
export type Totals = components['schemas']['Totals'];
export type Policy = components['schemas']['Policy'];
export type Fx = components['schemas']['FX'];
export type Ask = components['schemas']['Ask'];
export type Quote = components['schemas']['Quote'];
export type HoldRequest = components['schemas']['HoldRequest'];
export type PendingChange = components['schemas']['PendingChange'];
export type Quota = components['schemas']['Quota'];
export type ConfirmRequest = components['schemas']['ConfirmRequest'];
export type RequestTag = components['schemas']['RequestTag'];
export type Provenance = components['schemas']['Provenance'];
export type SpecialRequest = components['schemas']['SpecialRequest'];
export type Reservation = components['schemas']['Reservation'];
export type Step = components['schemas']['Step'];
export type AllocationId = components['schemas']['AllocationId'];
export type ItemId = components['schemas']['ItemId'];
export type RoomId = components['schemas']['RoomId'];
export type KeyId = components['schemas']['KeyId'];
export type RefundId = components['schemas']['RefundId'];
export type Attention = components['schemas']['Attention'];
export type AssignedRoom = components['schemas']['AssignedRoom'];
export type Applied = components['schemas']['Applied'];
export type Refund = components['schemas']['Refund'];
export type Balance = components['schemas']['Balance'];
export type Folio = components['schemas']['Folio'];
export type Modification = components['schemas']['Modification'];
export type Problem = components['schemas']['Problem'];
export type ParameterTenant = components['parameters']['tenant'];
export type ParameterKey = components['parameters']['key'];
export type ParameterId = components['parameters']['id'];
export type ParameterMatch = components['parameters']['match'];
export interface operations {
    createQuote: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Ask"];
            };
        };
        responses: {
            /** @description The quote */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    createHold: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HoldRequest"];
            };
        };
        responses: {
            /** @description The rooms are kept until `hold.expiresAt` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"] & {
                        /**
                         * Format: date-time
                         * @description What a countdown to hold.expiresAt is counted from.
                         */
                        serverTime: string;
                    };
                };
            };
        };
    };
    getReservation: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reservation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    modifyReservation: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "guest_count_change",
                 *       "itemId": "rit_01M7W0C5D7A9C1E3G5J7M9P2R4",
                 *       "occupants": {
                 *         "adults": 2,
                 *         "children": 1
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @enum {unknown} */
                    type: "guest_count_change" | "room_change" | "room_added" | "room_removed" | "rate_change" | "channel_attribution_corrected" | "manual_state_override";
                    itemId?: components["schemas"]["ItemId"];
                    occupants?: components["schemas"]["Occupants"];
                    roomTypeId?: components["schemas"]["RoomTypeId"];
                    ratePlanId?: components["schemas"]["RatePlanId"];
                    roomId?: components["schemas"]["RoomId"];
                    complimentary?: boolean;
                    item?: {
                        roomTypeId: components["schemas"]["RoomTypeId"];
                        ratePlanId: components["schemas"]["RatePlanId"];
                        occupants: components["schemas"]["Occupants"];
                    };
                    nightlyRateMicro?: components["schemas"]["Micro"];
                    channel?: components["schemas"]["Channel"];
                    partnerId?: string;
                    /** @enum {unknown} */
                    state?: "confirmed" | "checked_in";
                    /** @description E-mail addresses, telephone and card numbers are removed from it. */
                    reason?: string;
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description The whole reservation and its modification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"] & {
                        modification: components["schemas"]["Modification"];
                        dryRun?: boolean;
                    };
                };
            };
        };
    };
    findReservations: {
        parameters: {
            query?: {
                /** @description What the guest reads to the desk. */
                code?: string;
                /** @description What a guest tells the desk. No log contains it. */
                q?: string;
                /** @description Goes with q. */
                propertyId?: components["schemas"]["PropertyId"];
                /** @description Guests whom the property awaits on date, and earlier ones who have not come yet. Without date, on the business date. */
                arrivals?: components["schemas"]["PropertyId"];
                /** @description Guests who leave the property on date, and those who should have left before. Without date, on the business date. */
                departures?: components["schemas"]["PropertyId"];
                /** @description Goes with arrivals or departures. The default is the business date: the local date of the property noShowGraceHours (at most 12) ago. */
                date?: string;
                /** @description Whose stay at the property is under way. */
                inHouse?: components["schemas"]["PropertyId"];
                /** @description Reservations of the property that need the front desk. */
                attention?: components["schemas"]["PropertyId"];
                limit?: number;
                /** @description The nextCursor of the page before. */
                cursor?: components["schemas"]["ReservationId"];
            };
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, in the order of the reservations' ids */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        reservations: components["schemas"]["Reservation"][];
                        /** @description Only if `attention` was asked. */
                        attention?: components["schemas"]["Attention"][];
                        nextCursor?: components["schemas"]["ReservationId"];
                    };
                };
            };
        };
    };
    createWalkIn: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    propertyId: components["schemas"]["PropertyId"];
                    items: {
                        roomTypeId: components["schemas"]["RoomTypeId"];
                        ratePlanId: components["schemas"]["RatePlanId"];
                        occupants: components["schemas"]["Occupants"];
                    }[];
                    stayWindow: components["schemas"]["Window"];
                    currency: components["schemas"]["Currency"];
                    locale: string;
                    guest: {
                        firstName: string;
                        /** @description Empty for a guest of one name. */
                        lastName: string;
                        /** Format: email */
                        email?: string;
                        /** @description With its country code. */
                        phone?: string;
                        specialRequests?: string;
                    };
                    payment: {
                        /**
                         * @description Only cash_on_arrival; the others are 400 at /payment/method.
                         * @enum {unknown}
                         */
                        method: "card" | "paypal" | "mfs" | "cash_on_arrival";
                    };
                    /** @description One room for each item whose guests check in now. */
                    rooms?: {
                        /** @description The index in items. */
                        item: number;
                        roomId: components["schemas"]["RoomId"];
                    }[];
                };
            };
        };
        responses: {
            /** @description The whole reservation */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    confirmReservation: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmRequest"];
            };
        };
        responses: {
            /** @description It is confirmed, now or before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    setGuestDetails: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    firstName: string;
                    /** @description Empty for a guest of one name. */
                    lastName: string;
                    /**
                     * Format: email
                     * @description Only staff and desk services may leave it out.
                     */
                    email?: string;
                    /** @description With its country code. Only staff and desk services may leave it out. */
                    phone?: string;
                    locale: string;
                    specialRequests?: string;
                };
            };
        };
        responses: {
            /** @description The whole reservation with the id under which the guest is known */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"] & {
                        guestId: string;
                        locale: string;
                    };
                };
            };
        };
    };
    addSpecialRequest: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    tags: components["schemas"]["RequestTag"][];
                    freeText?: string;
                    /** @description The language of the text. */
                    locale: string;
                    /** @enum {unknown} */
                    source: "guest" | "staff" | "ai_parser";
                    aiProvenance?: components["schemas"]["Provenance"];
                };
            };
        };
        responses: {
            /** @description The whole reservation */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    changeDates: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    stayWindow: components["schemas"]["Window"];
                    dryRun?: boolean;
                    /** @description The guest asks for the change. Without it only staff and services that staff work with may change dates. */
                    byGuest?: boolean;
                    /** @description With byGuest: the total that the guest was shown. A higher one is refused with 409 PRICE_CHANGED. */
                    maxTotalMicro?: components["schemas"]["Micro"];
                };
            };
        };
        responses: {
            /** @description The whole reservation and its modification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"] & {
                        modification: components["schemas"]["Modification"];
                        dryRun?: boolean;
                    };
                };
            };
        };
    };
    checkIn: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One room for each item whose guests are there. */
                    rooms: components["schemas"]["AssignedRoom"][];
                };
            };
        };
        responses: {
            /** @description The guest is checked in: the whole reservation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description Keys are outstanding: the whole reservation */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    checkOut: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    folio?: components["schemas"]["Folio"];
                    /** @description Needs a folio. */
                    force?: boolean;
                    /** @description Stored without e-mail addresses, telephone and card numbers. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The whole reservation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    recordNoShow: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    waivePenalty?: boolean;
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description The whole reservation, with the penalty and the refunds */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"] & {
                        policyApplied: components["schemas"]["Applied"];
                        paymentRefundsRequested: components["schemas"]["Refund"][];
                        dryRun?: boolean;
                    };
                };
            };
        };
    };
    cancelReservation: {
        parameters: {
            query?: never;
            header: {
                /** @description It must agree with a staff token. */
                "X-Tenant-Id": components["parameters"]["tenant"];
                /** @description The ETag of the version to change. Without it any version is changed. */
                "If-Match"?: components["parameters"]["match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    reasonCode: "guest_cancelled" | "staff_cancelled" | "overbooked";
                    /** @description Stored and published without e-mail addresses, telephone and card numbers, control and bidi characters. So are the other free texts of this service, createdBy.id and specialRequests. A partnerId or folioId is changed only if it contains an e-mail address, a telephone number with its prefix or a card number. */
                    reason?: string;
                    dryRun?: boolean;
                    onlyHeld?: boolean;
                    /** @description The penalty that the guest was shown. A higher one is refused with 409 PENALTY_CHANGED. */
                    maxPenaltyMicro?: components["schemas"]["Micro"];
                };
            };
        };
        responses: {
            /** @description The whole reservation and what the cancellation comes to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"] & {
                        policyApplied: components["schemas"]["Applied"];
                        paymentRefundsRequested: components["schemas"]["Refund"][];
                        dryRun?: boolean;
                    };
                };
            };
        };
    };
}

type Refusal<Status extends number, Code extends string> = ProblemOf<components["schemas"]["Problem"], Status, Code>;

/** The problems of each operation, by their code. */
export interface problems {
    createQuote:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    createHold:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.BFF.TENANT.QUOTE_EXPIRED">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    getReservation:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    modifyReservation:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.RESERVATION.ROOM_UNAVAILABLE" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    findReservations:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    createWalkIn:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.RESERVATION.ROOM_UNAVAILABLE" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    confirmReservation:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.PAYMENT.NOT_CAPTURED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    setGuestDetails:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    addSpecialRequest:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.RESERVATION.REQUEST_LIMIT" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<410, "MELMASTOON.RESERVATION.HOLD_EXPIRED">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    changeDates:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED" | "MELMASTOON.RESERVATION.ROOM_UNAVAILABLE" | "MELMASTOON.RESERVATION.CHANGE_NOT_ALLOWED" | "MELMASTOON.BFF.TENANT.PRICE_CHANGED" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    checkIn:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.BEFORE_ARRIVAL" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.RESERVATION.ROOM_UNAVAILABLE" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    checkOut:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.RESERVATION.FOLIO_UNSETTLED" | "MELMASTOON.RESERVATION.BALANCE_DUE" | "MELMASTOON.RESERVATION.GUESTS_EXPECTED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    recordNoShow:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.BEFORE_ARRIVAL" | "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
    cancelReservation:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.FORBIDDEN">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.RESERVATION.ILLEGAL_TRANSITION" | "MELMASTOON.RESERVATION.PENALTY_CHANGED" | "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS">
        | Refusal<412, "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<503, "MELMASTOON.GENERAL.UNAVAILABLE" | "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE">;
}

/** How each operation is requested. */
export const table = {
    createQuote: {"method":"POST","path":"/api/v1/reservations/quotes","query":[],"key":true},
    createHold: {"method":"POST","path":"/api/v1/reservations/holds","query":[],"key":true},
    getReservation: {"method":"GET","path":"/api/v1/reservations/{id}","query":[],"key":false},
    modifyReservation: {"method":"PATCH","path":"/api/v1/reservations/{id}","query":[],"key":true},
    findReservations: {"method":"GET","path":"/api/v1/reservations","query":["code","q","propertyId","arrivals","departures","date","inHouse","attention","limit","cursor"],"key":false},
    createWalkIn: {"method":"POST","path":"/api/v1/reservations/walk-ins","query":[],"key":true},
    confirmReservation: {"method":"POST","path":"/api/v1/reservations/{id}/confirm","query":[],"key":true},
    setGuestDetails: {"method":"PUT","path":"/api/v1/reservations/{id}/guest","query":[],"key":true},
    addSpecialRequest: {"method":"POST","path":"/api/v1/reservations/{id}/special-requests","query":[],"key":true},
    changeDates: {"method":"POST","path":"/api/v1/reservations/{id}/dates","query":[],"key":true},
    checkIn: {"method":"POST","path":"/api/v1/reservations/{id}/check-in","query":[],"key":true},
    checkOut: {"method":"POST","path":"/api/v1/reservations/{id}/check-out","query":[],"key":true},
    recordNoShow: {"method":"POST","path":"/api/v1/reservations/{id}/no-show","query":[],"key":true},
    cancelReservation: {"method":"POST","path":"/api/v1/reservations/{id}/cancel","query":[],"key":true},
} as const satisfies Record<keyof operations, Operation>;
