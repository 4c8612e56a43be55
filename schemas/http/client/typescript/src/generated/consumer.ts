// Generated from consumer.yaml by generate.mjs. Do not edit.
import type { Operation } from "../client.js";
import type { ProblemOf } from "../problem.js";

export interface components {
    schemas: {
        GuestSessionId: string;
        SearchSessionId: string;
        WishId: string;
        TenantId: string;
        PropertyId: string;
        /** Format: date-time */
        Instant: string;
        /** @enum {unknown} */
        Locale: "en" | "ps-AF" | "fa-AF" | "fa-IR" | "ur-PK" | "ar-AE";
        /** @enum {unknown} */
        Currency: "AFN" | "IRR" | "PKR" | "AED" | "USD" | "EUR" | "GBP";
        Count: number;
        /** @enum {unknown} */
        SortKey: "recommended" | "price-asc" | "price-desc" | "rating-desc" | "distance-asc";
        /** @enum {unknown} */
        ViewSource: "search-list" | "search-map" | "detail-link" | "wishlist";
        /** @enum {unknown} */
        WishSource: "detail" | "list" | "map" | "recently-viewed";
        /** @description The guest's own words, shown to nobody else */
        Note: string;
        Consent: {
            consentTelemetry: boolean;
            consentMarketing: boolean;
        };
        Preferences: {
            localePreference: components["schemas"]["Locale"];
            currencyPreference: components["schemas"]["Currency"];
            flags: components["schemas"]["Consent"];
        };
        Capture: {
            source?: string;
            medium?: string;
            campaign?: string;
            capturedAt: components["schemas"]["Instant"];
        };
        RecentlyViewed: {
            propertyId: components["schemas"]["PropertyId"];
            tenantId: components["schemas"]["TenantId"];
            viewedAt: components["schemas"]["Instant"];
            source: components["schemas"]["ViewSource"];
            card?: components["schemas"]["Card"];
        };
        /** @description With expand=card only. Null if the hotel is gone or suspended, or if degraded names search */
        Card: components["schemas"]["ListingCard"] | null;
        Wish: {
            wishlistId: components["schemas"]["WishId"];
            propertyId: components["schemas"]["PropertyId"];
            tenantId: components["schemas"]["TenantId"];
            addedAt: components["schemas"]["Instant"];
            source: components["schemas"]["WishSource"];
            note?: components["schemas"]["Note"];
        };
        CardedWish: {
            wishlistId: components["schemas"]["WishId"];
            propertyId: components["schemas"]["PropertyId"];
            tenantId: components["schemas"]["TenantId"];
            addedAt: components["schemas"]["Instant"];
            source: components["schemas"]["WishSource"];
            note?: components["schemas"]["Note"];
            card?: components["schemas"]["Card"];
        };
        Session: {
            guestSessionId: components["schemas"]["GuestSessionId"];
            localePreference: components["schemas"]["Locale"];
            currencyPreference: components["schemas"]["Currency"];
            flags: components["schemas"]["Consent"];
            campaignAttribution?: components["schemas"]["Capture"];
            recentlyViewed: components["schemas"]["RecentlyViewed"][];
            wishlist: components["schemas"]["CardedWish"][];
            createdAt: components["schemas"]["Instant"];
            /** @description Cards come from an earlier answer of a service that fails */
            stale?: boolean;
            degraded?: components["schemas"]["Degraded"];
        };
        StepMetadata: {
            position?: components["schemas"]["Count"];
            page?: components["schemas"]["Count"];
            resultCount?: components["schemas"]["Count"];
            scrollPct?: components["schemas"]["Count"];
            durationMs?: components["schemas"]["Count"];
            fromCache?: boolean;
            sortKey?: components["schemas"]["SortKey"];
            source?: components["schemas"]["ViewSource"];
        };
        Handoff: {
            handoffId: string;
            /**
             * Format: uri
             * @description The hotel's own site, with ?h= and the campaign
             */
            url: string;
            /** @description What stands behind ?h=, for apps that hand it over themselves */
            token: string;
            expiresAt: components["schemas"]["Instant"];
        };
        GeoQuery: {
            /** @enum {unknown} */
            mode: "point" | "bounding-box" | "city" | "region";
            /** @description Is searched as rounded to 0.01 degrees, at most 0.8 km away, and with a radius of at least 1 km: which hotels are found, and their order by distance, follow the rounded point. distanceKm is measured from the exact point, which is not stored. */
            point?: {
                lat: components["schemas"]["Latitude"];
                lng: components["schemas"]["Longitude"];
                radiusKm: number;
            };
            boundingBox?: {
                swLat: components["schemas"]["Latitude"];
                swLng: components["schemas"]["Longitude"];
                neLat: components["schemas"]["Latitude"];
                neLng: components["schemas"]["Longitude"];
            };
            /** @description In any language of the site */
            city?: string;
            /** @description A province or a country, in any language of the site */
            region?: string;
        } & ({
            /** @constant */
            mode?: "point";
        } | {
            /** @constant */
            mode?: "bounding-box";
        } | {
            /** @constant */
            mode?: "city";
        } | {
            /** @constant */
            mode?: "region";
        });
        Latitude: number;
        Longitude: number;
        /** @description Not before today in the hotel's time zone, at most 400 days ahead and 30 nights long */
        DateRange: {
            /** Format: date */
            checkIn: string;
            /** Format: date */
            checkOut: string;
        };
        /** @description Over all rooms, with an adult in each */
        Occupancy: {
            adults: number;
            children: number;
            rooms: number;
            /** @description Of each child, or of none */
            childrenAges?: number[];
        };
        Filters: {
            /** @description What a room may cost for a night, in main units */
            priceRange?: {
                min: number;
                max: number;
                currency: components["schemas"]["Currency"];
            };
            /** @description All of them */
            amenities?: components["schemas"]["Word"][];
            starRating?: number[];
            guestRatingMin?: number;
            /** @description One of them */
            propertyType?: components["schemas"]["Word"][];
            /** @enum {unknown} */
            cancellationFlexibility?: "free" | "partial" | "any";
            neighbourhoods?: string[];
        };
        Word: string;
        Position: {
            lat: components["schemas"]["Latitude"];
            lng: components["schemas"]["Longitude"];
        };
        LocalizedString: {
            default: string;
            localized?: {
                [key: string]: string;
            };
            /** @description As this visitor reads it */
            display: string;
        };
        GuestRating: {
            value: number;
            count: number;
        };
        /** @description Of a hotel without a brand, or where degraded names theme, a neutral colour and logo with the hotel's name */
        BrandPeek: {
            primaryColor: string;
            logoUrl: string;
            brandName: components["schemas"]["LocalizedString"];
        };
        /** @description For showing. What is booked is quoted on the hotel's own site */
        RateSnapshot: {
            cheapestNightlyMinor: number;
            totalForStayMinor: number;
            currency: components["schemas"]["Currency"];
            exponent: number;
            /**
             * @description Fallback: there is no exchange rate, and the amount is in the hotel's own currency
             * @enum {unknown}
             */
            currencyDisplayPolicy: "tenant" | "user-preferred" | "fallback";
            /** @description Where it was converted */
            fxSnapshotId?: string;
            capturedAt: components["schemas"]["Instant"];
            ttlExpiresAt: components["schemas"]["Instant"];
            isStale: boolean;
        } | null;
        ListingCard: {
            propertyId: components["schemas"]["PropertyId"];
            tenantId: components["schemas"]["TenantId"];
            tenantSlug: string;
            name: components["schemas"]["LocalizedString"];
            city: string;
            country: string;
            geo: components["schemas"]["Position"];
            thumbnail: {
                url: string;
                alt: string;
            };
            starRating?: number;
            guestRating?: components["schemas"]["GuestRating"];
            propertyType?: string;
            amenityHighlights: string[];
            brandPeek: components["schemas"]["BrandPeek"];
            rateSnapshot: components["schemas"]["RateSnapshot"];
            badges: ("crossRegionDelivery" | "shariaCompliant" | "newProperty")[];
            /** @description From the point, with one decimal; absent if the place is not a point */
            distanceKm?: number;
        };
        /** @description What could not be had in time */
        Degraded: ("theme" | "pricing" | "policies" | "calendar" | "search" | "popularity" | "rates")[];
        SearchResults: {
            searchSessionId: components["schemas"]["SearchSessionId"];
            results: components["schemas"]["ListingCard"][];
            page: {
                limit: number;
                offset: number;
                total: number;
            };
            locale: components["schemas"]["Locale"];
            currency: components["schemas"]["Currency"];
            /** @description Something answered in the place of a service that fails */
            stale: boolean;
            degraded?: components["schemas"]["Degraded"];
        };
        MapPin: {
            propertyId: components["schemas"]["PropertyId"];
            geo: components["schemas"]["Position"];
            cheapestNightlyMinor?: number;
            currency?: components["schemas"]["Currency"];
            exponent?: number;
            /** @description A neutral one where the hotel has none, or where degraded names theme */
            brandColor: string;
            /** @description Hotels that the pin represents */
            count: number;
        };
        MapResults: {
            searchSessionId: components["schemas"]["SearchSessionId"];
            pins: components["schemas"]["MapPin"][];
            total: number;
            clustered: boolean;
            truncated: boolean;
            stale: boolean;
            degraded?: components["schemas"]["Degraded"];
        };
        Photo: {
            url: string;
            alt: string;
            isHero: boolean;
        };
        RoomTypeSummary: {
            roomTypeId: string;
            name: string;
            description: string;
            maxOccupancy: number;
            photos: components["schemas"]["Photo"][];
        };
        /** @description Where a handoff is asked for, with POST, and for how long one is good. It is no token */
        HandoffHint: {
            url: string;
            ttlSeconds: number;
        };
        /** @description What the hotel's own site offers. Absent if that is not known at the moment */
        BookingSite: {
            /** @description Tags (BCP 47) */
            locales: string[];
            /** @description Codes (ISO 4217) */
            currencies: string[];
        };
        HotelDetail: {
            property: {
                propertyId: components["schemas"]["PropertyId"];
                tenantId: components["schemas"]["TenantId"];
                name: components["schemas"]["LocalizedString"];
                city: string;
                country: string;
                geo: components["schemas"]["Position"];
                timeZone?: string;
                starRating?: number;
                guestRating?: components["schemas"]["GuestRating"];
                propertyType?: string;
            };
            rooms: components["schemas"]["RoomTypeSummary"][];
            amenities: {
                /** @description As filters name it */
                code: string;
                /** @description In the visitor's language; the code, where it has no name yet */
                label: string;
            }[];
            photos: components["schemas"]["Photo"][];
            policies: {
                cancellation: string;
                checkIn: string;
                checkOut: string;
            };
            brandPeek: components["schemas"]["BrandPeek"];
            cheapestRateSnapshot: components["schemas"]["RateSnapshot"];
            /** @description From checkIn on. A night on which nothing is left is not in it */
            priceCalendarPreview?: {
                /** Format: date */
                date: string;
                cheapestMinor: number;
                currency: components["schemas"]["Currency"];
                exponent: number;
            }[];
            /** @description Of the same city, where the stay is possible, nearest in stars, then in price */
            similarProperties?: components["schemas"]["ListingCard"][];
            /** @description How many guests have lately booked and looked at the hotel, at most a minute old. A number below 3 is absent, as is the object without any */
            popularitySignals?: {
                /** @description Bookings of the last 24 hours that were not cancelled */
                bookedLast24h?: number;
                /** @description Visitors of the last hour */
                viewedLast1h?: number;
            };
            handoffHint: components["schemas"]["HandoffHint"];
            bookingSite?: components["schemas"]["BookingSite"];
            dates: components["schemas"]["DateRange"];
            occupancy: components["schemas"]["Occupancy"];
            locale: components["schemas"]["Locale"];
            currency: components["schemas"]["Currency"];
            stale: boolean;
            degraded?: components["schemas"]["Degraded"];
        };
        Money: {
            amountMinor: number;
            currency: components["schemas"]["Currency"];
            exponent: number;
        } | null;
        VacantRoom: {
            roomTypeId: string;
            name: string;
            description: string;
            maxOccupancy: number;
            photos: components["schemas"]["Photo"][];
            ratePlanId: string | null;
            nightly: components["schemas"]["Money"];
            total: components["schemas"]["Money"];
            /** @description Where they were converted */
            fxSnapshotId?: string;
        };
        Vacancy: {
            propertyId: components["schemas"]["PropertyId"];
            tenantId: components["schemas"]["TenantId"];
            dates: components["schemas"]["DateRange"];
            occupancy: components["schemas"]["Occupancy"];
            currency: components["schemas"]["Currency"];
            available: boolean | null;
            cheapestRateSnapshot: components["schemas"]["RateSnapshot"];
            rooms: components["schemas"]["VacantRoom"][];
            handoffHint: components["schemas"]["HandoffHint"];
            stale: boolean;
            degraded?: components["schemas"]["Degraded"];
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
            /** @description Only with BFF.CONSUMER.SUSPECTED_BOT; what the guest must solve */
            challenge?: {
                /** @enum {unknown} */
                kind: "captcha";
                siteKey: string;
            };
            violations?: {
                pointer: string;
                rule: string;
                message: string;
            }[];
        };
    };
    responses: never;
    parameters: {
        /** @description With card, each hotel has its card, with the price of tomorrow night for two */
        Expand: "card";
        /** @description Prices of this call are in this currency, if it is one of the site */
        Currency: string;
        /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
        ChallengeResponse: string;
        PropertyId: components["schemas"]["PropertyId"];
        /** @description The same key does a thing once and answers the same */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type GuestSessionId = components['schemas']['GuestSessionId'];
export type SearchSessionId = components['schemas']['SearchSessionId'];
export type WishId = components['schemas']['WishId'];
export type TenantId = components['schemas']['TenantId'];
export type PropertyId = components['schemas']['PropertyId'];
export type Instant = components['schemas']['Instant'];
export type Locale = components['schemas']['Locale'];
export type Currency = components['schemas']['Currency'];
export type Count = components['schemas']['Count'];
export type SortKey = components['schemas']['SortKey'];
export type ViewSource = components['schemas']['ViewSource'];
export type WishSource = components['schemas']['WishSource'];
export type Note = components['schemas']['Note'];
export type Consent = components['schemas']['Consent'];
export type Preferences = components['schemas']['Preferences'];
export type Capture = components['schemas']['Capture'];
export type RecentlyViewed = components['schemas']['RecentlyViewed'];
export type Card = components['schemas']['Card'];
export type Wish = components['schemas']['Wish'];
export type CardedWish = components['schemas']['CardedWish'];
export type Session = components['schemas']['Session'];
export type StepMetadata = components['schemas']['StepMetadata'];
export type Handoff = components['schemas']['Handoff'];
export type GeoQuery = components['schemas']['GeoQuery'];
export type Latitude = components['schemas']['Latitude'];
export type Longitude = components['schemas']['Longitude'];
export type DateRange = components['schemas']['DateRange'];
export type Occupancy = components['schemas']['Occupancy'];
export type Filters = components['schemas']['Filters'];
export type Word = components['schemas']['Word'];
export type Position = components['schemas']['Position'];
export type LocalizedString = components['schemas']['LocalizedString'];
export type GuestRating = components['schemas']['GuestRating'];
export type BrandPeek = components['schemas']['BrandPeek'];
export type RateSnapshot = components['schemas']['RateSnapshot'];
export type ListingCard = components['schemas']['ListingCard'];
export type Degraded = components['schemas']['Degraded'];
export type SearchResults = components['schemas']['SearchResults'];
export type MapPin = components['schemas']['MapPin'];
export type MapResults = components['schemas']['MapResults'];
export type Photo = components['schemas']['Photo'];
export type RoomTypeSummary = components['schemas']['RoomTypeSummary'];
export type HandoffHint = components['schemas']['HandoffHint'];
export type BookingSite = components['schemas']['BookingSite'];
export type HotelDetail = components['schemas']['HotelDetail'];
export type Money = components['schemas']['Money'];
export type VacantRoom = components['schemas']['VacantRoom'];
export type Vacancy = components['schemas']['Vacancy'];
export type Problem = components['schemas']['Problem'];
export type ParameterExpand = components['parameters']['Expand'];
export type ParameterCurrency = components['parameters']['Currency'];
export type ParameterChallengeResponse = components['parameters']['ChallengeResponse'];
export type ParameterPropertyId = components['parameters']['PropertyId'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export interface operations {
    getSession: {
        parameters: {
            query?: {
                /** @description With card, each hotel has its card, with the price of tomorrow night for two */
                expand?: components["parameters"]["Expand"];
            };
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
                /** @description Prices of this call are in this currency, if it is one of the site */
                "X-Currency"?: components["parameters"]["Currency"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visit, with the wishlist */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    changeSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A language of the site; prs is fa-AF */
                    locale?: string;
                    currency?: string;
                    /** @description False silences the session at once */
                    consentTelemetry?: boolean;
                    consentMarketing?: boolean;
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
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    clearSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing is kept any more. The cookie is taken back */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    searchHotels: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
                /** @description Prices of this call are in this currency, if it is one of the site */
                "X-Currency"?: components["parameters"]["Currency"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    geo: components["schemas"]["GeoQuery"];
                    dates: components["schemas"]["DateRange"];
                    occupancy: components["schemas"]["Occupancy"];
                    filters?: components["schemas"]["Filters"];
                    sortKey?: components["schemas"]["SortKey"];
                    page?: {
                        /** @default 20 */
                        limit?: number;
                        /** @default 0 */
                        offset?: number;
                    };
                };
            };
        };
        responses: {
            /** @description A page of hotels */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
        };
    };
    searchMap: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
                /** @description Prices of this call are in this currency, if it is one of the site */
                "X-Currency"?: components["parameters"]["Currency"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    geo: components["schemas"]["GeoQuery"];
                    dates: components["schemas"]["DateRange"];
                    occupancy: components["schemas"]["Occupancy"];
                    filters?: components["schemas"]["Filters"];
                    spotlight?: components["schemas"]["PropertyId"][];
                };
            };
        };
        responses: {
            /** @description The pins */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MapResults"];
                };
            };
        };
    };
    suggestDestinations: {
        parameters: {
            query: {
                /** @description One line, in any language */
                q: string;
            };
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suggestions, the best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        destinations: {
                            city: string;
                            name: components["schemas"]["LocalizedString"];
                            country: string;
                            geo: components["schemas"]["Position"];
                            hotels: number;
                        }[];
                    };
                };
            };
        };
    };
    getHotel: {
        parameters: {
            query?: {
                checkIn?: string;
                /** @description The day after checkIn where it is not named */
                checkOut?: string;
                adults?: number;
                children?: number;
                rooms?: number;
                /** @description How the guest came */
                source?: components["schemas"]["ViewSource"];
            };
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
                /** @description Prices of this call are in this currency, if it is one of the site */
                "X-Currency"?: components["parameters"]["Currency"];
                /** @description The ETag of the version that is known */
                "If-None-Match"?: string;
            };
            path: {
                propertyId: components["parameters"]["PropertyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hotel. What could not be had in time is null or absent, and degraded names it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HotelDetail"];
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
    getHotelAvailability: {
        parameters: {
            query: {
                checkIn: string;
                checkOut: string;
                adults: number;
                children?: number;
                rooms?: number;
            };
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
                /** @description Prices of this call are in this currency, if it is one of the site */
                "X-Currency"?: components["parameters"]["Currency"];
            };
            path: {
                propertyId: components["parameters"]["PropertyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it sells */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vacancy"];
                };
            };
        };
    };
    listWishlist: {
        parameters: {
            query?: {
                /** @description With card, each hotel has its card, with the price of tomorrow night for two */
                expand?: components["parameters"]["Expand"];
            };
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
                /** @description Prices of this call are in this currency, if it is one of the site */
                "X-Currency"?: components["parameters"]["Currency"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wishlist */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        wishlist: components["schemas"]["CardedWish"][];
                        /** @description How many it holds */
                        limit: number;
                        /** @description Cards come from an earlier answer of a service that fails */
                        stale?: boolean;
                        degraded?: components["schemas"]["Degraded"];
                    };
                };
            };
        };
    };
    addToWishlist: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    propertyId: components["schemas"]["PropertyId"];
                    source: components["schemas"]["WishSource"];
                    note?: components["schemas"]["Note"];
                };
            };
        };
        responses: {
            /** @description It was there already. A note that is given replaces the one before, an empty one deletes it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wish"];
                };
            };
            /** @description It is there now */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wish"];
                };
            };
        };
    };
    removeFromWishlist: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path: {
                propertyId: components["parameters"]["PropertyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is not on the list any more, or never was */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordClick: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    kind: "listing-card" | "map-pin" | "similar-property" | "wishlist-card" | "brand-peek";
                    tenantId: components["schemas"]["TenantId"];
                    propertyId: components["schemas"]["PropertyId"];
                    /** @description Left out if it is not this session's, or older than an hour */
                    searchSessionId?: components["schemas"]["SearchSessionId"];
                    position?: number;
                    page?: number;
                    sortKey?: components["schemas"]["SortKey"];
                };
            };
        };
        responses: {
            /** @description Accepted. Published if the session agrees to telemetry, once per hotel in an hour whatever the kind, for at most ten sessions of one address, and not for programs or a session that begins with the click */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordPageView: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Published without query, and without what is neither a word nor an id */
                    path: string;
                    /** @description Published as origin and path */
                    referer?: string;
                    tenantId?: components["schemas"]["TenantId"];
                    propertyId?: components["schemas"]["PropertyId"];
                    searchSessionId?: components["schemas"]["SearchSessionId"];
                };
            };
        };
        responses: {
            /** @description Accepted. Published if the session agrees to telemetry */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordFunnelStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    step: "session.started" | "search.executed" | "list.scrolled-50pct" | "list.scrolled-90pct" | "map.opened" | "detail.viewed" | "wishlist.added" | "handoff.initiated";
                    tenantId?: components["schemas"]["TenantId"];
                    propertyId?: components["schemas"]["PropertyId"];
                    searchSessionId?: components["schemas"]["SearchSessionId"];
                    metadata?: components["schemas"]["StepMetadata"];
                };
            };
        };
        responses: {
            /** @description Accepted. Published if the session agrees to telemetry */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createHandoff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The response to the challenge of a 429 with BFF.CONSUMER.SUSPECTED_BOT, from the provider's widget, or unavailable. It can be used once */
                "X-Challenge-Response"?: components["parameters"]["ChallengeResponse"];
            };
            path: {
                tenantId: components["schemas"]["TenantId"];
                propertyId: components["parameters"]["PropertyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    dates: {
                        /** Format: date */
                        checkIn: string;
                        /** Format: date */
                        checkOut: string;
                    };
                    occupancy: {
                        adults: number;
                        children: number;
                        rooms: number;
                        childrenAges?: number[];
                    };
                    currency?: string;
                    /** @description A language of the site; prs is fa-AF */
                    locale?: string;
                };
            };
        };
        responses: {
            /** @description Where to go on. The answer is not to be kept, and the token not to be passed on */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Handoff"];
                };
            };
        };
    };
}

type Refusal<Status extends number, Code extends string> = ProblemOf<components["schemas"]["Problem"], Status, Code>;

/** The problems of each operation, by their code. */
export interface problems {
    getSession:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    changeSession:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS" | "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.BFF.CONSUMER.LOCALE_NOT_SUPPORTED" | "MELMASTOON.BFF.CONSUMER.CURRENCY_NOT_SUPPORTED" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    clearSession:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    searchHotels:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">
        | Refusal<504, "MELMASTOON.BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED">;
    searchMap:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">
        | Refusal<504, "MELMASTOON.BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED">;
    suggestDestinations:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">
        | Refusal<504, "MELMASTOON.BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED">;
    getHotel:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">
        | Refusal<504, "MELMASTOON.BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED">;
    getHotelAvailability:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">
        | Refusal<504, "MELMASTOON.BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED">;
    listWishlist:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    addToWishlist:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS" | "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    removeFromWishlist:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS" | "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<422, "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    recordClick:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    recordPageView:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    recordFunnelStep:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<403, "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">;
    createHandoff:
        | Refusal<400, "MELMASTOON.GENERAL.VALIDATION_FAILED" | "MELMASTOON.GENERAL.MALFORMED_JSON" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REQUIRED">
        | Refusal<401, "MELMASTOON.GENERAL.UNAUTHENTICATED">
        | Refusal<403, "MELMASTOON.BFF.CONSUMER.TENANT_SUSPENDED" | "MELMASTOON.GENERAL.CROSS_ORIGIN_REFUSED">
        | Refusal<404, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND">
        | Refusal<409, "MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS" | "MELMASTOON.GENERAL.VERSION_CONFLICT">
        | Refusal<413, "MELMASTOON.GENERAL.PAYLOAD_TOO_LARGE">
        | Refusal<415, "MELMASTOON.GENERAL.UNSUPPORTED_MEDIA_TYPE">
        | Refusal<422, "MELMASTOON.BFF.CONSUMER.LOCALE_NOT_SUPPORTED" | "MELMASTOON.BFF.CONSUMER.CURRENCY_NOT_SUPPORTED" | "MELMASTOON.GENERAL.IDEMPOTENCY_KEY_REUSED">
        | Refusal<429, "MELMASTOON.GENERAL.RATE_LIMITED" | "MELMASTOON.BFF.CONSUMER.SUSPECTED_BOT">
        | Refusal<500, "MELMASTOON.GENERAL.INTERNAL">
        | Refusal<503, "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE" | "MELMASTOON.GENERAL.UNAVAILABLE">
        | Refusal<504, "MELMASTOON.BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED">;
}

/** How each operation is requested. */
export const table = {
    getSession: {"method":"GET","path":"/bff/consumer/v1/session","query":["expand"],"key":false},
    changeSession: {"method":"PATCH","path":"/bff/consumer/v1/session","query":[],"key":true},
    clearSession: {"method":"POST","path":"/bff/consumer/v1/session/clear","query":[],"key":false},
    searchHotels: {"method":"POST","path":"/bff/consumer/v1/search","query":[],"key":false},
    searchMap: {"method":"POST","path":"/bff/consumer/v1/search/map","query":[],"key":false},
    suggestDestinations: {"method":"GET","path":"/bff/consumer/v1/destinations","query":["q"],"key":false},
    getHotel: {"method":"GET","path":"/bff/consumer/v1/hotels/{propertyId}","query":["checkIn","checkOut","adults","children","rooms","source"],"key":false},
    getHotelAvailability: {"method":"GET","path":"/bff/consumer/v1/hotels/{propertyId}/availability","query":["checkIn","checkOut","adults","children","rooms"],"key":false},
    listWishlist: {"method":"GET","path":"/bff/consumer/v1/wishlist","query":["expand"],"key":false},
    addToWishlist: {"method":"POST","path":"/bff/consumer/v1/wishlist","query":[],"key":true},
    removeFromWishlist: {"method":"DELETE","path":"/bff/consumer/v1/wishlist/{propertyId}","query":[],"key":true},
    recordClick: {"method":"POST","path":"/bff/consumer/v1/telemetry/click","query":[],"key":false},
    recordPageView: {"method":"POST","path":"/bff/consumer/v1/telemetry/page-view","query":[],"key":false},
    recordFunnelStep: {"method":"POST","path":"/bff/consumer/v1/telemetry/funnel","query":[],"key":false},
    createHandoff: {"method":"POST","path":"/bff/consumer/v1/handoff/{tenantId}/{propertyId}","query":[],"key":true},
} as const satisfies Record<keyof operations, Operation>;
