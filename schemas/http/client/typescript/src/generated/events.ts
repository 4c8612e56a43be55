// Generated from the schemas of the events by generate.mjs. Do not edit.

export interface components {
    schemas: {
        /** @description A visitor is probably a machine. */
        ConsumerBotSuspected: {
            /** @description The visitor's session on the consumer site; null if the request had none. */
            guestSessionId: string | null;
            /** @description The probability that the visitor is a machine, from 0 to 1. */
            score: number;
            /**
             * @description The result of the evaluation.
             * @enum {unknown}
             */
            verdict: "suspect" | "bot";
            /** @description The signals that contributed to the score. */
            signals: {
                /** @description The kind of the signal. Known values: ua-pattern, cadence, fingerprint-collision, recaptcha, header-anomaly. There may be others. */
                kind: string;
                /** @description The share of the signal in the score. */
                weight: number;
                /** @description What the signal observed. It contains no personal data. */
                detail?: string;
            }[];
            /** @description Peppered SHA-256 of the IP address. */
            ipHash?: string;
            /** @description Peppered SHA-256 of the user agent. */
            userAgentHash?: string;
            /** @description Peppered SHA-256 of the browser fingerprint. */
            fingerprintHash: string;
            /**
             * Format: date-time
             * @description When the score was computed.
             */
            evaluatedAt: string;
            /**
             * @description What the service did: nothing, a challenge, or a refusal.
             * @enum {unknown}
             */
            actionTaken: "none" | "challenge" | "hard-block";
        };
        /** @description A visitor clicked on a property. */
        ConsumerClickRecorded: {
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description What was clicked. Known values: listing-card, map-pin, similar-property, wishlist-card, brand-peek. There may be others. */
            kind: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The search. */
            searchSessionId?: string;
            /** @description The position of the property in the result, from 1. */
            position?: number;
            /** @description The page of the result, from 1. */
            page?: number;
            /** @description The order of the results. Known values: recommended, price-asc, price-desc, rating-desc, distance-asc. There may be others. */
            sortKey?: string;
            /**
             * Format: date-time
             * @description When the visitor clicked.
             */
            occurredAt: string;
        };
        /** @description A visitor changed the currency. */
        ConsumerCurrencyChanged: {
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The currency before the change. Known values: AFN, IRR, PKR, AED, USD, EUR, GBP. There may be others. */
            previousCurrency: string;
            /** @description The currency after the change. Known values: AFN, IRR, PKR, AED, USD, EUR, GBP. There may be others. */
            newCurrency: string;
            /** @description What caused the change. Known values: user-explicit, tenant-default, geo-ip. There may be others. */
            trigger: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /** @description A visitor reached a funnel step that has no event of its own. */
        ConsumerFunnelStepReached: {
            /** @description The step. */
            funnelEventId: string;
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description What was reached. The start of a session, a search, a wish and a handoff have events of their own. Known values: list.scrolled-50pct, list.scrolled-90pct, map.opened, detail.viewed. There may be others. */
            step: string;
            /**
             * Format: date-time
             * @description When the step was reached.
             */
            occurredAt: string;
            /** @description The tenant. It is not verified, except for detail.viewed. */
            tenantId?: string;
            /** @description The property. It is not verified, except for detail.viewed. */
            propertyId?: string;
            /** @description The search. */
            searchSessionId?: string;
            /** @description Further data of the step. */
            metadata?: {
                /** @description The position of the property in the result. */
                position?: number;
                /** @description The page of the result. */
                page?: number;
                /** @description The number of properties found. */
                resultCount?: number;
                /** @description How far the list was scrolled, in percent. */
                scrollPct?: number;
                /** @description Duration in milliseconds. */
                durationMs?: number;
                /** @description Whether the result came from a cache. */
                fromCache?: boolean;
                /** @description The order of the results. Known values: recommended, price-asc, price-desc, rating-desc, distance-asc. There may be others. */
                sortKey?: string;
                /** @description From where the property was opened. Known values: search-list, search-map, detail-link, wishlist. There may be others. */
                source?: string;
            };
        };
        /** @description A visitor continues to a tenant's own site. */
        ConsumerHandoffInitiated: {
            /** @description The handoff from the consumer site. */
            handoffId: string;
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The name of the tenant in addresses. */
            tenantSlug: string;
            /** @description The property. */
            propertyId: string;
            /** @description The searched days. */
            dates: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                checkIn: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                checkOut: string;
            };
            /** @description The people and the rooms. */
            occupancy: {
                /** @description Number of adults. */
                adults: number;
                /** @description Number of children. */
                children: number;
                /** @description Number of rooms. */
                rooms: number;
            };
            /** @description The currency (ISO 4217). Known values: AFN, IRR, PKR, AED, USD, EUR, GBP. There may be others. */
            currency: string;
            /** @description The language of the guest (BCP 47). */
            locale: string;
            /** @description The campaign that brought the visitor. */
            sourceCampaign?: {
                /** @description The source, from utm_source. */
                source?: string;
                /** @description The medium, from utm_medium. */
                medium?: string;
                /** @description The campaign, from utm_campaign. */
                campaign?: string;
            };
            /**
             * Format: date-time
             * @description When the handoff token was signed.
             */
            mintedAt: string;
            /**
             * Format: date-time
             * @description When the handoff token expires.
             */
            expiresAt: string;
            /** @description The key that signed the token. */
            hmacKeyId: string;
            /** @description Peppered SHA-256 of the browser fingerprint. */
            fingerprintHash: string;
            /** @description Peppered SHA-256 of the IP address. */
            ipHash?: string;
            /** @description The page that the visitor came from, without personal data. */
            originReferer?: string;
        };
        /** @description A visitor changed the language. */
        ConsumerLocaleChanged: {
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The language before the change (BCP 47). */
            previousLocale: string;
            /** @description The language after the change (BCP 47). */
            newLocale: string;
            /** @description What caused the change. Known values: user-explicit, accept-language, geo-ip. There may be others. */
            trigger: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /** @description A visitor viewed a page, as the page reports. */
        ConsumerPageViewed: {
            /** @description The page view. */
            pageViewId: string;
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The search from which the visitor came. */
            searchSessionId?: string;
            /** @description The path without its query. A segment that is neither a word nor an id is replaced by *. */
            path: string;
            /** @description The tenant, if the page is about one. It is not verified. */
            tenantId?: string;
            /** @description The property, if the page is about one. It is not verified. */
            propertyId?: string;
            /**
             * Format: date-time
             * @description When the page was viewed.
             */
            viewedAt: string;
            /** @description Origin and path of the page that led here, replaced as in path. */
            referer?: string;
            /** @description Peppered SHA-256 of the user agent. */
            userAgentHash: string;
            /** @description Peppered SHA-256 of the browser fingerprint. */
            fingerprintHash: string;
        };
        /** @description A visitor searched and received results. */
        ConsumerSearchExecuted: {
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The search. */
            searchSessionId: string;
            /** @description SHA-256 of the normalised query. */
            queryHash: string;
            /**
             * @description Whether a list or a map was searched.
             * @enum {unknown}
             */
            kind: "list" | "map";
            /** @description The searched place. */
            geo: {
                /** @description How the place was given. Known values: point, bounding-box, city, region. There may be others. */
                mode: string;
                /** @description The city as the visitor searched it. */
                city?: string;
                /** @description The country (ISO 3166-1 alpha-2). */
                country?: string;
            };
            /** @description The searched days. */
            dates: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                checkIn: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                checkOut: string;
            };
            /** @description The people and the rooms. */
            occupancy: {
                /** @description Number of adults. */
                adults: number;
                /** @description Number of children. */
                children: number;
                /** @description Number of rooms. */
                rooms: number;
            };
            /** @description The names of the filters, without their values. */
            filterKeys: string[];
            /** @description The order of the results. Known values: recommended, price-asc, price-desc, rating-desc, distance-asc. There may be others. */
            sortKey: string;
            /** @description The page of the result. */
            page: {
                /** @description The maximum number of results on the page. */
                limit: number;
                /** @description The number of results before the page. */
                offset: number;
            };
            /** @description The number of results of the search. */
            resultCount: number;
            /** @description Whether the list or map came from the cache, valid or old. Prices and brands may be newer or missing. */
            fromCache: boolean;
            /** @description Time to compose the response, in milliseconds. */
            compositionMs: number;
            /** @description The currency (ISO 4217). Known values: AFN, IRR, PKR, AED, USD, EUR, GBP. There may be others. */
            currency: string;
            /** @description The language of the guest (BCP 47). */
            locale: string;
        };
        /** @description A visitor's session ended. */
        ConsumerSessionEnded: {
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /**
             * Format: date-time
             * @description When the session ended.
             */
            endedAt: string;
            /** @description Why the session ended. Known values: explicit-clear, ttl-expired, rotated. There may be others. */
            reason: string;
            /**
             * Format: date-time
             * @description The visitor's last request.
             */
            lastSeenAt: string;
            /** @description How long the session lasted, in seconds. */
            lifetimeSeconds: number;
        };
        /** @description A visitor's session started. */
        ConsumerSessionStarted: {
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /**
             * Format: date-time
             * @description When the session started.
             */
            createdAt: string;
            /** @description The language of the visitor (BCP 47). */
            localePreference: string;
            /** @description The currency in which prices are shown. Known values: AFN, IRR, PKR, AED, USD, EUR, GBP. There may be others. */
            currencyPreference: string;
            /** @description Peppered SHA-256 of the browser fingerprint. */
            fingerprintHash: string;
            /** @description Peppered SHA-256 of the IP address. */
            ipHash?: string;
            /** @description The campaign that brought the visitor. */
            campaignAttribution?: {
                /** @description The source, from utm_source. */
                source?: string;
                /** @description The medium, from utm_medium. */
                medium?: string;
                /** @description The campaign, from utm_campaign. */
                campaign?: string;
            };
            /** @description The class of the device. Known values: browser-desktop, browser-mobile, mobile-app-ios, mobile-app-android, other. There may be others. */
            userAgentClass: string;
        };
        /** @description A visitor added a property to the wishlist. */
        ConsumerWishlistAdded: {
            /** @description The visitor's wishlist. */
            wishlistId: string;
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description Where the visitor added the property. Known values: detail, list, map, recently-viewed. There may be others. */
            source: string;
            /**
             * Format: date-time
             * @description When the property was added.
             */
            addedAt: string;
            /** @description The number of properties on the wishlist after the change. */
            wishlistSize: number;
        };
        /** @description A visitor removed a property from the wishlist. */
        ConsumerWishlistRemoved: {
            /** @description The visitor's wishlist. */
            wishlistId: string;
            /** @description The visitor's session on the consumer site. */
            guestSessionId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the property was removed.
             */
            removedAt: string;
            /** @description The number of properties on the wishlist after the change. */
            wishlistSize: number;
        };
        /** @description A booking draft was abandoned. */
        TenantBookingDraftAbandoned: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The booking draft. */
            draftId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /** @description Peppered SHA-256 of the guest's initials. */
            guestNameInitialsHash?: string;
            /**
             * @description The state in which the draft was abandoned.
             * @enum {unknown}
             */
            lastFlowState: "quoting" | "holding" | "collecting_details" | "paying" | "confirming" | "confirmed" | "abandoned" | "failed";
            /**
             * Format: date-time
             * @description When the draft was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the draft was abandoned.
             */
            abandonedAt: string;
            /**
             * Format: date-time
             * @description The guest's last action.
             */
            lastActivityAt: string;
            /** @description The property. */
            propertyId?: string;
            /** @description The room type. */
            roomTypeId?: string;
            /** @description The total that the guest saw before leaving. */
            totalDisplayPotential?: {
                /** @description The currency (ISO 4217). */
                currency: string;
                /** @description The amount in the currency's minor unit (ISO 4217). */
                amountMinor: number;
                /** @description The number of decimals of the currency's minor unit. */
                exponent?: number;
            };
            /** @description The errors that the guest saw, in order. */
            errorTrail: {
                /**
                 * @description The state of the flow in which the error occurred.
                 * @enum {unknown}
                 */
                atState: "quoting" | "holding" | "collecting_details" | "paying" | "confirming" | "confirmed" | "abandoned" | "failed";
                /** @description The code of the problem that the guest saw. */
                errorCode: string;
                /**
                 * Format: date-time
                 * @description When the error occurred.
                 */
                occurredAt: string;
            }[];
            /** @description Peppered SHA-256 of the guest's e-mail address. */
            guestEmailHash?: string;
        };
        /** @description A booking draft became a confirmed reservation. */
        TenantBookingDraftConverted: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The booking draft. */
            draftId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /** @description The total of the stay in the currency's minor unit, captured or due on arrival. */
            totalMinor?: number;
            /** @description Peppered SHA-256 of the guest's initials. */
            guestNameInitialsHash?: string;
            /** @description The reservation. */
            reservationId: string;
            /**
             * Format: date-time
             * @description When the draft was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the draft was converted.
             */
            convertedAt: string;
            /** @description Time from the creation to the conversion of the draft, in milliseconds. */
            elapsedMs: number;
            /** @description The property. */
            propertyId: string;
            /** @description The room type. */
            roomTypeId: string;
            /** @description The rate plan. */
            ratePlanId: string;
            /** @description The captured amount in the currency's minor unit; 0 if the guest pays on arrival. */
            totalCapturedMinor: number;
            /** @description The currency of the captured amount (ISO 4217). */
            totalCapturedCurrency: string;
            /** @description The payment method. Known values: card, paypal, mfs, cash_on_arrival. There may be others. */
            paymentMethod: string;
            /** @description The payment provider. */
            paymentProvider: string;
            /** @description The campaign that brought the guest. */
            marketingAttribution?: {
                /** @description The source, from utm_source. */
                source?: string;
                /** @description The medium, from utm_medium. */
                medium?: string;
                /** @description The campaign, from utm_campaign. */
                campaign?: string;
            };
            /** @description The arrival of a guest from the consumer site. */
            handoffArrivalId?: string;
            /** @description The class of the device. Known values: browser-desktop, browser-mobile, mobile-app-ios, mobile-app-android. There may be others. */
            deviceClass: string;
        };
        /** @description A guest holds rooms: a booking draft was created. */
        TenantBookingDraftCreated: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The booking draft. */
            draftId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /** @description The reservation. */
            reservationId: string;
            /**
             * Format: date-time
             * @description When the hold expires.
             */
            holdExpiresAt: string;
            /** @description The property. */
            propertyId: string;
            /** @description The room type. */
            roomTypeId: string;
            /** @description The rate plan. */
            ratePlanId: string;
            /** @description The nights of the stay. */
            stayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                checkIn: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                checkOut: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The people and the rooms. */
            occupancy: {
                /** @description Number of adults. */
                adults: number;
                /** @description Number of children. */
                children: number;
                /** @description Number of rooms. */
                rooms: number;
            };
            /** @description The total as the guest saw it. */
            totalDisplay: {
                /** @description The currency (ISO 4217). */
                currency: string;
                /** @description The amount in the currency's minor unit (ISO 4217). */
                amountMinor: number;
                /** @description The number of decimals of the currency's minor unit. */
                exponent?: number;
            };
            /** @description The promotion code that was used. */
            promoCode?: string;
            /** @description The class of the device. Known values: browser-desktop, browser-mobile, mobile-app-ios, mobile-app-android. There may be others. */
            deviceClass: string;
            /** @description The arrival of a guest from the consumer site. */
            handoffArrivalId?: string;
        };
        /** @description A tenant's site was served to a session; at most once in five minutes. */
        TenantBootstrapServed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The name of the tenant in addresses. */
            tenantSlug: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /** @description The language of the guest (BCP 47). */
            locale: string;
            /** @description The currency (ISO 4217). */
            currency: string;
            /** @description The version of the theme that was served. */
            themeVersion: string;
            /** @description The version of the tenant's configuration. */
            tenantConfigVersion: string;
            /** @description The latency of each upstream call, in milliseconds; a call that was not made is absent. */
            fanoutLatencyMs: {
                /** @description The call for the tenant. */
                tenant?: number;
                /** @description The call for the theme. */
                theme?: number;
                /** @description The call for policies. */
                policies?: number;
            };
            /** @description Whether the response came from the cache. Known values: HIT, MISS, STALE, BYPASS. There may be others. */
            cache: string;
            /** @description The handoff from the consumer site. */
            handoffId?: string;
            /** @description The arrival of a guest from the consumer site. */
            handoffArrivalId?: string;
        };
        /** @description A guest viewed a confirmation; at most once per reservation, session and day. */
        TenantConfirmationViewed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /**
             * Format: date-time
             * @description When the confirmation was viewed.
             */
            viewedAt: string;
            /** @description Time since the confirmation, in milliseconds. */
            elapsedFromConfirmMs: number;
            /** @description The class of the device. Known values: browser-desktop, browser-mobile, mobile-app-ios, mobile-app-android. There may be others. */
            deviceClass: string;
            /** @description The language of the guest (BCP 47). */
            locale: string;
            /** @description Whether the response came from the cache. Known values: HIT, MISS, STALE, BYPASS. There may be others. */
            cache: string;
        };
        /** @description A guest changed the currency. */
        TenantCurrencyChanged: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /** @description The currency before the change (ISO 4217). */
            from: string;
            /** @description The currency after the change (ISO 4217). */
            to: string;
            /** @description The booking draft that the guest has open, if any. */
            draftId?: string;
            /**
             * Format: date-time
             * @description When the change took effect; it orders several changes.
             */
            changedAt: string;
        };
        /** @description A guest saw an error. */
        TenantFlowErrorEncountered: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The booking draft; absent if there was none yet. */
            draftId?: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /**
             * @description The state of the flow in which the error occurred.
             * @enum {unknown}
             */
            atState?: "quoting" | "holding" | "collecting_details" | "paying" | "confirming" | "confirmed" | "abandoned" | "failed";
            /** @description The code of the problem that the guest saw. */
            errorCode: string;
            /** @description The service that failed, if one did. */
            upstream?: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description Whether the guest can correct the error. */
            userActionable: boolean;
            /** @description Seconds after which a retry can succeed; 0 if at once or never. */
            retryAfterSec: number;
            /** @description The handoff that was refused, if the error is about one. */
            handoffId?: string;
            /** @description Peppered SHA-256 of the browser fingerprint. */
            fingerprintHash?: string;
            /** @description Peppered SHA-256 of the IP address. */
            ipHash?: string;
        };
        /** @description A booking draft moved to its next state. */
        TenantFlowStepCompleted: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The booking draft. */
            draftId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /**
             * @description The state before the step.
             * @enum {unknown}
             */
            fromState: "quoting" | "holding" | "collecting_details" | "paying" | "confirming" | "confirmed" | "abandoned" | "failed";
            /**
             * @description The state after the step.
             * @enum {unknown}
             */
            toState: "quoting" | "holding" | "collecting_details" | "paying" | "confirming" | "confirmed" | "abandoned" | "failed";
            /** @description Duration of the step in milliseconds. */
            stepLatencyMs: number;
            /**
             * Format: date-time
             * @description When the step was completed.
             */
            completedAt: string;
        };
        /** @description A guest arrived from the consumer site; once per handoff. */
        TenantHandoffConsumed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The handoff from the consumer site. */
            handoffId?: string;
            /** @description The arrival of a guest from the consumer site. */
            handoffArrivalId: string;
            /** @description The session on the consumer site that the guest came from. */
            consumerSessionId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The campaign that brought the visitor. */
            campaign?: {
                /** @description The source, from utm_source. */
                source?: string;
                /** @description The medium, from utm_medium. */
                medium?: string;
                /** @description The campaign, from utm_campaign. */
                campaign?: string;
            };
            /**
             * Format: date-time
             * @description When the handoff token was signed.
             */
            mintedAt: string;
            /**
             * Format: date-time
             * @description When the handoff was consumed.
             */
            consumedAt: string;
            /** @description Time between signing and consuming the token, in milliseconds. */
            elapsedMs: number;
            /** @description SHA-256 of the token's signature. */
            hmacSignatureFingerprint: string;
        };
        /** @description A guest changed the language. */
        TenantLocaleChanged: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The guest's session on the tenant's site. */
            sessionId: string;
            /** @description The language before the change (BCP 47). */
            from: string;
            /** @description The language after the change (BCP 47). */
            to: string;
            /** @description Whether the direction of writing changed. */
            isRtlChange: boolean;
            /**
             * Format: date-time
             * @description When the change took effect; it orders several changes.
             */
            changedAt: string;
        };
        /** @description A guest started to pay. */
        TenantPaymentIntentCreated: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The booking draft. */
            draftId: string;
            /** @description The payment intent. */
            intentId: string;
            /** @description The payment method. Known values: card, paypal, mfs, cash_on_arrival. There may be others. */
            method: string;
            /** @description The payment provider. */
            provider: string;
            /** @description The amount in the currency's minor unit (ISO 4217). */
            amountMinor: number;
            /** @description The currency (ISO 4217). */
            currency: string;
            /** @description Whether the guest pays on the provider's page. */
            redirectFlow: boolean;
            /**
             * Format: date-time
             * @description When the payment intent was created.
             */
            createdAt: string;
        };
        /** @description A session was revoked. Its link to a person must be forgotten. */
        IamSessionRevoked: {
            /** @description The tenant of the session; absent if the session belongs to none. The revocation of a hotel's session (tnt_session_) without it is dead-lettered. */
            tenantId?: string;
            /** @description The revoked session. */
            sessionId: string;
            /** @description The user whose session it was, if known. */
            userId?: string;
            /** @description Why the session was revoked. */
            reason: string;
            /**
             * Format: date-time
             * @description When the session was revoked.
             */
            revokedAt: string;
        };
        /** @description Rooms of a type were allocated to a reservation; until expiresAt unless it is confirmed. */
        InventoryAllocationCommitted: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The allocation of rooms in inventory. */
            allocationId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The room type. */
            roomTypeId: string;
            /** @description The nights of the stay. */
            stayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
            };
            /** @description The number of rooms. */
            units: number;
            /**
             * Format: date-time
             * @description When the allocation expires unless the reservation is confirmed.
             */
            expiresAt?: string;
            /**
             * Format: date-time
             * @description When the allocation was committed.
             */
            committedAt: string;
        };
        /** @description Rooms of a type could not be allocated to a reservation. */
        InventoryAllocationFailed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The allocation of rooms in inventory. */
            allocationId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The room type. */
            roomTypeId: string;
            /** @description The nights of the stay. */
            stayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
            };
            /** @description The number of rooms. */
            units: number;
            /** @description The reason as a code. Known values: no_inventory, expired, error. There may be others. */
            reasonCode: string;
            /**
             * Format: date-time
             * @description When it failed.
             */
            failedAt: string;
        };
        /** @description A key could not be issued; the desk gives out a manual one. */
        LockIntegrationKeyCredentialFailed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The item of the reservation: one room of the stay. */
            itemId: string;
            /** @description The physical room. */
            roomId: string;
            /** @description The key. */
            keyCredentialId: string;
            /**
             * Format: date-time
             * @description When the key would have started to work.
             */
            validFrom: string;
            /**
             * Format: date-time
             * @description When the key would have stopped working.
             */
            validUntil: string;
            /** @description The reason as a code. */
            reasonCode: string;
            /**
             * Format: date-time
             * @description When the issue of the key failed.
             */
            failedAt: string;
        };
        /** @description A guest can open a room with this key. */
        LockIntegrationKeyCredentialIssued: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The item of the reservation: one room of the stay. */
            itemId: string;
            /** @description The physical room. */
            roomId: string;
            /** @description The key. */
            keyCredentialId: string;
            /**
             * Format: date-time
             * @description When the key starts to work.
             */
            validFrom: string;
            /**
             * Format: date-time
             * @description When the key stops working.
             */
            validUntil: string;
            /**
             * Format: date-time
             * @description When the key was issued.
             */
            issuedAt: string;
        };
        /** @description A payment intent was captured. */
        PaymentTransactionCaptured: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The payment intent. */
            paymentIntentId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The payment method. Known values: card, paypal, mfs, cash_on_arrival. There may be others. */
            method: string;
            /** @description The payment provider. */
            provider: string;
            /** @description The amount in millionths of the currency unit, as a decimal text. */
            amountMicro: string;
            /** @description The currency (ISO 4217). */
            currency: string;
            /**
             * Format: date-time
             * @description When the payment was captured.
             */
            capturedAt: string;
        };
        /** @description A payment intent failed for good; a single decline is not a failure. */
        PaymentTransactionFailed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The payment intent. */
            paymentIntentId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The payment method. Known values: card, paypal, mfs, cash_on_arrival. There may be others. */
            method: string;
            /** @description The payment provider. */
            provider: string;
            /** @description The amount in millionths of the currency unit, as a decimal text. */
            amountMicro: string;
            /** @description The currency (ISO 4217). */
            currency: string;
            /** @description Why the payment failed. Known values: too_many_attempts, expired, cancelled. There may be others. */
            failureCode: string;
            /**
             * Format: date-time
             * @description When it failed.
             */
            failedAt: string;
        };
        /** @description Part or all of a captured payment was refunded; amountMicro is this refund. */
        PaymentTransactionRefunded: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The payment intent. */
            paymentIntentId: string;
            /** @description The reservation. */
            reservationId: string;
            /** @description The payment method. Known values: card, paypal, mfs, cash_on_arrival. There may be others. */
            method: string;
            /** @description The payment provider. */
            provider: string;
            /** @description This refund in millionths of the currency unit, as a decimal text. */
            amountMicro: string;
            /** @description The currency (ISO 4217). */
            currency: string;
            /** @description The refund. */
            refundId: string;
            /** @description The sum of all refunds of the intent, in millionths of the currency unit, as a decimal text. */
            totalRefundedMicro: string;
            /**
             * Format: date-time
             * @description When the refund was made.
             */
            refundedAt: string;
        };
        /** @description A rate plan has new prices; existing quotes keep theirs. */
        PricingRatePlanPublished: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The rate plan. */
            ratePlanId: string;
            /** @description The version of the rate plan. */
            version: number;
            /**
             * Format: date-time
             * @description When the rate plan was published.
             */
            publishedAt: string;
        };
        /** @description A room cannot be used from one day until before another; its room type has one room less for these nights. */
        PropertyRoomTakenOutOfOrder: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The physical room. */
            roomId: string;
            /** @description The room type. */
            roomTypeId: string;
            /**
             * Format: date
             * @description The first night on which the room cannot be used.
             */
            from: string;
            /**
             * Format: date
             * @description The first day on which the room can be used again.
             */
            until: string;
            /** @description The reason as a code. */
            reasonCode: string;
            /**
             * Format: date-time
             * @description When the room was taken out of order.
             */
            occurredAt: string;
        };
        /** @description A reservation will not take place; its rooms are released and the refundable amount is refunded. */
        ReservationCancelled: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the reservation was cancelled.
             */
            cancelledAt: string;
            /** @description The reason in plain words, with contact data removed. */
            reason: string;
            /** @description The reason as a code. Known values: guest_cancelled, staff_cancelled, no_show, overbooked, payment_failed, inventory_failed, merged_into, split_into. There may be others. */
            reasonCode: string;
            /** @description The cancellation policy and its result. */
            policyApplied: {
                /** @description The policy and its version. */
                ref: string;
                /** @description The refundable amount in millionths of the currency unit, as a decimal text. */
                refundEligibilityMicro: string;
                /** @description The penalty in millionths of the currency unit, as a decimal text. */
                penaltyMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            };
            /** @description The refunds that the payment service must make. */
            paymentRefundsRequested: {
                /** @description The refund. */
                refundId?: string;
                /** @description The payment intent. */
                paymentIntentId: string;
                /** @description The amount to refund in millionths of the currency unit, as a decimal text. */
                amountMicro: string;
            }[];
            /** @description The cancelled items; all of them if the whole reservation was cancelled. */
            itemsCancelled: string[];
            /** @description The allocations of rooms in inventory. */
            inventoryAllocationIds?: string[];
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The event that caused this one. */
            causationEventId?: string;
        };
        /** @description A check-in has started; the keys are still to be issued. */
        ReservationCheckInStarted: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the check-in started.
             */
            startedAt: string;
            /** @description The items of the reservation. */
            itemIds: string[];
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
        };
        /** @description The guest has checked in. The actor is the one who started the check-in. */
        ReservationCheckedIn: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the guest checked in.
             */
            checkedInAt: string;
            /** @description The rooms of the guests with whom the check-in started. Those of later guests are in items_checked_in. */
            assignedRooms: {
                /** @description The item of the reservation: one room of the stay. */
                itemId: string;
                /** @description The physical room. */
                roomId: string;
            }[];
            /** @description The keys. */
            keyCredentialIds: string[];
            /** @description Whether the desk must hand out a key because none could be issued. */
            requiresManualKey: boolean;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "staff" | "guest_self_service";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description Whether the guest arrived before the check-in time. */
            earlyCheckIn: boolean;
        };
        /** @description The guest has checked out. */
        ReservationCheckedOut: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the guest checked out.
             */
            checkedOutAt: string;
            /** @description Whether the guest left before the last day. */
            earlyCheckout: boolean;
            /** @description Nights after the planned departure; 0 if the guest left in time. */
            overstayedNights: number;
            /** @description The folio at check-out. */
            folio: {
                /** @description The folio. */
                folioId: string;
                /** @description The balance of the folio at check-out, in millionths of the currency unit, as a decimal text. */
                finalBalanceMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
                /** @description Whether the folio is settled. */
                settled: boolean;
            };
            /** @description The room of each item. */
            rooms: {
                /** @description The item of the reservation: one room of the stay. */
                itemId: string;
                /** @description The physical room. */
                roomId: string;
            }[];
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
        };
        /** @description A check-out has started; the folio is still to be settled. */
        ReservationCheckoutStarted: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the check-out started.
             */
            startedAt: string;
            /** @description The items of the reservation. */
            itemIds: string[];
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
        };
        /** @description A held reservation is paid for, or its payment on arrival is agreed. */
        ReservationConfirmed: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The code that the guest shows at the desk. */
            reservationCode: string;
            /** @description The nights of the stay. */
            stayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The total of the stay. */
            totals: {
                /** @description The total with taxes and fees, in millionths of the currency unit, as a decimal text. */
                grandTotalMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
                /** @description The total in the tenant's currency, in millionths of the unit, as a decimal text. */
                inTenantCurrencyMicro?: string;
                /** @description The tenant's currency (ISO 4217). */
                tenantCurrency?: string;
            };
            /** @description How the reservation is paid. */
            payment: {
                /** @description The payment method. Known values: paypal, card, cash_on_arrival, mfs, mixed. There may be others. */
                method: string;
                /**
                 * @description Whether the payment was captured or is expected in cash.
                 * @enum {unknown}
                 */
                status: "captured" | "pending_cash";
                /** @description The payment intents. */
                paymentIntentIds: string[];
                /** @description The captured amount in millionths of the currency unit, as a decimal text. */
                capturedMicro: string;
            };
            /** @description The exchange rate that was frozen with the price. */
            fxSnapshot?: {
                /** @description The snapshot of the exchange rate. */
                fxSnapshotId?: string;
                /** @description The currency that is converted. */
                base: string;
                /** @description The currency of the result. */
                quote: string;
                /** @description Units of the quote currency for one unit of the base currency. */
                rate: number;
                /** @description Where the exchange rate comes from. */
                source: string;
                /**
                 * Format: date-time
                 * @description When the exchange rate was read.
                 */
                capturedAt: string;
            };
            /** @description The channel of the booking, and the partner if there is one. */
            channel: {
                /** @description The channel of the booking. Known values: direct, meta, walk_in, phone_by_staff, ota. There may be others. */
                channel: string;
                /** @description The partner that brought the booking. */
                partnerId?: string;
            };
            /** @description The guest who booked. */
            primaryGuest: {
                /** @description The guest. */
                guestId: string;
                /** @description The language of the guest (BCP 47). */
                locale: string;
                /** @description Salted hashes of the guest's contact data. Empty for a guest who left none, such as a walk-in. */
                contactHash?: {
                    /** @description Salted SHA-256 of the e-mail address. */
                    email?: string;
                    /** @description Salted SHA-256 of the telephone number. */
                    phone?: string;
                };
            };
            /**
             * Format: date-time
             * @description When the reservation was confirmed.
             */
            confirmedAt: string;
            /** @description The event that caused this one. */
            causationEventId?: string;
        };
        /** @description The dates of a booked reservation were changed. */
        ReservationDatesChanged: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The modification. */
            modificationId: string;
            /**
             * @description Always date_change.
             * @constant
             */
            type: "date_change";
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The property. */
            propertyId: string;
            /** @description The stay before the change. */
            preStayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The stay after the change. */
            postStayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The state before the change. */
            before: {
                /** @description The nights of the stay. */
                stayWindow: {
                    /**
                     * Format: date
                     * @description The day of arrival, in the time zone of the property.
                     */
                    start: string;
                    /**
                     * Format: date
                     * @description The day of departure, in the time zone of the property.
                     */
                    end: string;
                    /** @description The number of nights. */
                    nights: number;
                };
                /** @description The total of the stay. */
                totals: {
                    /** @description The total with taxes and fees, in millionths of the currency unit, as a decimal text. */
                    grandTotalMicro: string;
                    /** @description The currency (ISO 4217). */
                    currency: string;
                };
                /** @description The keys. */
                keyCredentialIds?: string[];
            };
            /** @description The state after the change. */
            after: {
                /** @description The nights of the stay. */
                stayWindow: {
                    /**
                     * Format: date
                     * @description The day of arrival, in the time zone of the property.
                     */
                    start: string;
                    /**
                     * Format: date
                     * @description The day of departure, in the time zone of the property.
                     */
                    end: string;
                    /** @description The number of nights. */
                    nights: number;
                };
                /** @description The total of the stay. */
                totals: {
                    /** @description The total with taxes and fees, in millionths of the currency unit, as a decimal text. */
                    grandTotalMicro: string;
                    /** @description The currency (ISO 4217). */
                    currency: string;
                };
                /** @description The keys. */
                keyCredentialIds?: string[];
            };
            /** @description The allocations of rooms in inventory. */
            inventoryAllocationIds?: string[];
            /** @description The policy that was applied. */
            policyAppliedRef?: string;
            /** @description The change of the total, in millionths of the currency unit, as a decimal text; negative if the stay became cheaper. */
            priceDeltaMicro?: string;
            /** @description The money that must be charged or refunded because of the change. */
            refundOrChargeRequest?: {
                /** @description The refund. */
                refundId?: string;
                /** @description The payment intent. */
                paymentIntentId?: string;
                /** @description The amount in millionths of the currency unit, as a decimal text. */
                amountMicro: string;
                /**
                 * @description Whether money is charged or refunded.
                 * @enum {unknown}
                 */
                direction: "charge" | "refund";
                /** @description The refunds that the payment service must make. */
                paymentRefundsRequested?: {
                    /** @description The refund. */
                    refundId?: string;
                    /** @description The payment intent. */
                    paymentIntentId: string;
                    /** @description The amount to refund in millionths of the currency unit, as a decimal text. */
                    amountMicro: string;
                }[];
            };
        };
        /** @description The guest leaves before the last day. The remaining nights are released. */
        ReservationEarlyCheckout: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The cancellation policy and its result. */
            policyApplied?: {
                /** @description The policy and its version. */
                ref: string;
                /** @description The refundable amount in millionths of the currency unit, as a decimal text. */
                refundEligibilityMicro: string;
                /** @description The penalty in millionths of the currency unit, as a decimal text. */
                penaltyMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            };
            /** @description The penalty in millionths of the currency unit, as a decimal text. */
            penaltyMicro?: string;
            /** @description The currency (ISO 4217). */
            currency?: string;
            /** @description The allocations of rooms in inventory. */
            inventoryAllocationIds?: string[];
            /** @description The refunds that the payment service must make. */
            paymentRefundsRequested?: {
                /** @description The refund. */
                refundId?: string;
                /** @description The payment intent. */
                paymentIntentId: string;
                /** @description The amount to refund in millionths of the currency unit, as a decimal text. */
                amountMicro: string;
            }[];
        };
        /** @description Rooms are held for a guest until hold.expiresAt. */
        ReservationHeld: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The code that the guest shows at the desk. */
            reservationCode: string;
            /** @description The channel of the booking. Known values: direct, meta, walk_in, phone_by_staff, ota. There may be others. */
            channel: string;
            /** @description The partner that brought the booking. */
            partnerId?: string;
            /** @description The guest who booked. */
            primaryGuest: {
                /** @description The guest. */
                guestId: string;
                /** @description The language of the guest (BCP 47). */
                locale: string;
                /** @description Salted hashes of the guest's contact data. */
                contactHash: {
                    /** @description Salted SHA-256 of the e-mail address. */
                    email?: string;
                    /** @description Salted SHA-256 of the telephone number. */
                    phone?: string;
                };
            };
            /** @description The nights of the stay. */
            stayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The rooms, one item each. */
            items: {
                /** @description The item of the reservation: one room of the stay. */
                itemId: string;
                /** @description The room type. */
                roomTypeId: string;
                /** @description The people in the room. */
                occupants: {
                    /** @description Number of adults. */
                    adults: number;
                    /** @description Number of children. */
                    children: number;
                    /** @description Number of infants. */
                    infants: number;
                };
                /** @description The average price of a night, in millionths of the currency unit, as a decimal text. */
                nightlyRateMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            }[];
            /** @description The total of the stay. */
            totals: {
                /** @description The total with taxes and fees, in millionths of the currency unit, as a decimal text. */
                grandTotalMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            };
            /** @description How long the rooms are held. */
            hold: {
                /**
                 * Format: date-time
                 * @description When the hold started.
                 */
                placedAt: string;
                /**
                 * Format: date-time
                 * @description When the hold expires.
                 */
                expiresAt: string;
                /** @description Duration of the hold in seconds. */
                ttlSeconds: number;
            };
            /** @description The payment intent. */
            paymentIntentId?: string;
            /** @description The exchange rate that was frozen with the price. */
            fxSnapshot?: {
                /** @description The snapshot of the exchange rate. */
                fxSnapshotId?: string;
                /** @description The currency that is converted. */
                base: string;
                /** @description The currency of the result. */
                quote: string;
                /** @description Units of the quote currency for one unit of the base currency. */
                rate: number;
                /** @description Where the exchange rate comes from. */
                source: string;
                /**
                 * Format: date-time
                 * @description When the exchange rate was read.
                 */
                capturedAt: string;
            };
            /** @description Who created the reservation. */
            createdBy: {
                /**
                 * @description The type of the creator.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the creator within its type. */
                id: string;
            };
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /** @description A hold expired before it was paid. */
        ReservationHoldExpired: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The hold. */
            holdId: string;
            /**
             * Format: date-time
             * @description When the hold expired.
             */
            expiredAt: string;
            /** @description The allocations of rooms in inventory. */
            inventoryAllocationIds: string[];
            /** @description The payment intent. */
            paymentIntentId?: string;
        };
        /** @description The guests of further rooms have come, after the check-in of the reservation has started. Their keys are still to be issued. */
        ReservationItemsCheckedIn: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the desk checked them in.
             */
            occurredAt: string;
            /** @description The rooms of these guests. */
            assignedRooms: {
                /** @description The item of the reservation: one room of the stay. */
                itemId: string;
                /** @description The physical room. */
                roomId: string;
            }[];
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
        };
        /** @description A booked reservation was changed. The form of before and after depends on the type. */
        ReservationModified: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The modification. */
            modificationId: string;
            /**
             * @description What was changed; it decides the form of before and after.
             * @enum {unknown}
             */
            type: "date_change" | "room_change" | "room_added" | "room_removed" | "guest_count_change" | "rate_change" | "guest_profile_update" | "channel_attribution_corrected" | "manual_state_override";
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The changed parts before the change; the form depends on the type. */
            before: Record<string, never>;
            /** @description The changed parts after the change; the form depends on the type. */
            after: Record<string, never>;
            /** @description The policy that was applied. */
            policyAppliedRef?: string;
            /** @description The change of the total, in millionths of the currency unit, as a decimal text; negative if the stay became cheaper. */
            priceDeltaMicro?: string;
            /** @description The money that must be charged or refunded because of the change. */
            refundOrChargeRequest?: {
                /** @description The refund. */
                refundId?: string;
                /** @description The payment intent. */
                paymentIntentId?: string;
                /** @description The amount in millionths of the currency unit, as a decimal text. */
                amountMicro: string;
                /**
                 * @description Whether money is charged or refunded.
                 * @enum {unknown}
                 */
                direction: "charge" | "refund";
                /** @description The refunds that the payment service must make. */
                paymentRefundsRequested?: {
                    /** @description The refund. */
                    refundId?: string;
                    /** @description The payment intent. */
                    paymentIntentId: string;
                    /** @description The amount to refund in millionths of the currency unit, as a decimal text. */
                    amountMicro: string;
                }[];
            };
        };
        /** @description The guest did not come. The rooms are released and the refundable amount is refunded. */
        ReservationNoShow: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the reservation was recorded as a no-show.
             */
            occurredAt: string;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The cancellation policy and its result. */
            policyApplied?: {
                /** @description The policy and its version. */
                ref: string;
                /** @description The refundable amount in millionths of the currency unit, as a decimal text. */
                refundEligibilityMicro: string;
                /** @description The penalty in millionths of the currency unit, as a decimal text. */
                penaltyMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            };
            /** @description The penalty in millionths of the currency unit, as a decimal text. */
            penaltyMicro?: string;
            /** @description The currency (ISO 4217). */
            currency?: string;
            /** @description The allocations of rooms in inventory. */
            inventoryAllocationIds?: string[];
            /** @description The refunds that the payment service must make. */
            paymentRefundsRequested?: {
                /** @description The refund. */
                refundId?: string;
                /** @description The payment intent. */
                paymentIntentId: string;
                /** @description The amount to refund in millionths of the currency unit, as a decimal text. */
                amountMicro: string;
            }[];
        };
        /** @description A guest is still in house after the end of the stay. The reservation stays as it is. */
        ReservationOverstayed: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The cancellation policy and its result. */
            policyApplied?: {
                /** @description The policy and its version. */
                ref: string;
                /** @description The refundable amount in millionths of the currency unit, as a decimal text. */
                refundEligibilityMicro: string;
                /** @description The penalty in millionths of the currency unit, as a decimal text. */
                penaltyMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            };
            /** @description The penalty in millionths of the currency unit, as a decimal text. */
            penaltyMicro?: string;
            /** @description The currency (ISO 4217). */
            currency?: string;
        };
        /** @description A price for a stay was frozen until validUntil. */
        ReservationQuoteCreated: {
            /** @description The quote. */
            quoteId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The nights of the stay. */
            stayWindow?: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The rooms, one item each. */
            items: {
                /** @description The room type. */
                roomTypeId: string;
                /** @description The rate plan. */
                ratePlanId: string;
                /** @description The people in the room. */
                occupants: {
                    /** @description Number of adults. */
                    adults: number;
                    /** @description Number of children. */
                    children: number;
                    /** @description Number of infants. */
                    infants: number;
                };
                /** @description The price of each night. */
                nights?: {
                    /**
                     * Format: date
                     * @description The night, by its first day.
                     */
                    date: string;
                    /** @description The price of the night with taxes and fees, in millionths of the currency unit, as a decimal text. */
                    amountMicro: string;
                    /** @description The part of amountMicro that is the room at its rate, in millionths of the currency unit, as a decimal text. */
                    roomMicro?: string;
                }[];
                /** @description What the room costs that belongs to no night. Absent if there is nothing. */
                extras?: {
                    /** @description The kind of the line, such as fee. */
                    kind: string;
                    /** @description What the line is for, in English. */
                    description: string;
                    /** @description The amount of the line in millionths of the currency unit, as a decimal text; negative for a discount. */
                    amountMicro: string;
                }[];
                /** @description The average price of a night without taxes and fees, in millionths of the currency unit, as a decimal text. */
                nightlyRateMicro: string;
                /** @description The total of the item, the sum of its nights and extras, in millionths of the currency unit, as a decimal text. */
                totalMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            }[];
            /** @description What the stay costs that belongs to no room. Absent if there is nothing. */
            extras?: {
                /** @description The kind of the line, such as fee. */
                kind: string;
                /** @description What the line is for, in English. */
                description: string;
                /** @description The amount of the line in millionths of the currency unit, as a decimal text; negative for a discount. */
                amountMicro: string;
            }[];
            /** @description The lines that add up to the total. */
            lines?: {
                /** @description The kind of the line, such as room or tax. */
                kind: string;
                /** @description What the line is for, in English. */
                description: string;
                /** @description The amount of the line in millionths of the currency unit, as a decimal text; negative for a discount. */
                amountMicro: string;
            }[];
            /** @description The total of the stay. */
            totals: {
                /** @description The total with taxes and fees, in millionths of the currency unit, as a decimal text. */
                grandTotalMicro: string;
                /** @description The currency (ISO 4217). */
                currency: string;
            };
            /** @description The exchange rate that was frozen with the price. */
            fxSnapshot?: {
                /** @description The snapshot of the exchange rate. */
                fxSnapshotId?: string;
                /** @description The currency that is converted. */
                base: string;
                /** @description The currency of the result. */
                quote: string;
                /** @description Units of the quote currency for one unit of the base currency. */
                rate: number;
                /** @description Where the exchange rate comes from. */
                source: string;
                /**
                 * Format: date-time
                 * @description When the exchange rate was read.
                 */
                capturedAt: string;
            };
            /**
             * Format: date-time
             * @description When the quote stops being valid.
             */
            validUntil: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /** @description The price of a stay was requested. */
        ReservationQuoteRequested: {
            /** @description The quote, if pricing gives a price. */
            quoteId?: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /** @description The guest. */
            guestId?: string;
            /** @description The session of the device that asked. Absent for a quote of the front desk: then quoteId takes its place in the ordering key. */
            deviceId?: string;
            /** @description The nights of the stay. */
            stayWindow: {
                /**
                 * Format: date
                 * @description The day of arrival, in the time zone of the property.
                 */
                start: string;
                /**
                 * Format: date
                 * @description The day of departure, in the time zone of the property.
                 */
                end: string;
                /** @description The number of nights. */
                nights: number;
            };
            /** @description The rooms, one item each. */
            items: {
                /** @description The room type. */
                roomTypeId: string;
                /** @description The rate plan. */
                ratePlanId: string;
                /** @description The people in the room. */
                occupants: {
                    /** @description Number of adults. */
                    adults: number;
                    /** @description Number of children. */
                    children: number;
                    /** @description Number of infants. */
                    infants: number;
                };
            }[];
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
        };
        /** @description A special request was added to a reservation. */
        ReservationSpecialRequestAdded: {
            /** @description The reservation. */
            reservationId: string;
            /** @description The tenant. */
            tenantId: string;
            /** @description The special request. */
            requestId: string;
            /** @description The wishes as tags. */
            tags: string[];
            /** @description The guest's request in their words, with contact data and control characters removed. */
            freeText?: string;
            /** @description The language of the guest (BCP 47). */
            locale: string;
            /**
             * @description Who wrote the request.
             * @enum {unknown}
             */
            source: "guest" | "staff" | "ai_parser";
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description Who caused the change. */
            actor: {
                /**
                 * @description The type of the actor.
                 * @enum {unknown}
                 */
                type: "guest" | "staff" | "system";
                /** @description The id of the actor within its type. */
                id: string;
            };
            /** @description The model that derived the tags; present if the source is ai_parser. */
            aiProvenance?: {
                /** @description The name of the model. */
                model: string;
                /** @description The version of the model. */
                version: string;
                /** @description The confidence of the model, from 0 to 1. */
                confidence: number;
            };
        };
        /** @description The search finds a property with its current data. */
        SearchAggregationListingIndexed: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The property. */
            propertyId: string;
            /**
             * Format: date-time
             * @description When the listing was indexed.
             */
            indexedAt: string;
            /** @description The grid, a colon and the cell of the property in it. */
            geoCell: string;
        };
        /** @description The configuration of a tenant's sites changed. */
        TenantConfigUpdated: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The version of the tenant's configuration. */
            configVersion: number;
            /** @description The settings that changed. */
            changedKeys: string[];
            /**
             * Format: date-time
             * @description When the configuration changed.
             */
            updatedAt: string;
        };
        /** @description A suspended tenant may sell again. */
        TenantReinstated: {
            /** @description The tenant. */
            tenantId: string;
            /**
             * Format: date-time
             * @description When the tenant was reinstated.
             */
            reinstatedAt: string;
        };
        /** @description A tenant's settings for reservations changed; changedAt orders several changes. */
        TenantSettingsChanged: {
            /** @description The tenant. */
            tenantId: string;
            /** @description How long a hold lasts, in seconds. */
            holdTtlSeconds: number;
            /** @description The version of the tenant's cancellation policy. */
            cancellationPolicyVersion: number;
            /** @description Hours after the arrival day until a reservation counts as a no-show. */
            noShowGraceHours: number;
            /**
             * Format: date-time
             * @description When the change took effect; it orders several changes.
             */
            changedAt: string;
        };
        /** @description A tenant may sell nothing until it is reinstated. */
        TenantSuspended: {
            /** @description The tenant. */
            tenantId: string;
            /** @description Why the tenant was suspended. */
            reason: string;
            /**
             * Format: date-time
             * @description When the tenant was suspended.
             */
            suspendedAt: string;
        };
        /** @description The design of a tenant's sites changed. */
        ThemePublished: {
            /** @description The tenant. */
            tenantId: string;
            /** @description The theme. */
            themeId: string;
            /** @description The published version of the theme. */
            publishedVersion: string;
            /**
             * Format: date-time
             * @description When the theme was published.
             */
            publishedAt: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ConsumerBotSuspected = components['schemas']['ConsumerBotSuspected'];
export type ConsumerClickRecorded = components['schemas']['ConsumerClickRecorded'];
export type ConsumerCurrencyChanged = components['schemas']['ConsumerCurrencyChanged'];
export type ConsumerFunnelStepReached = components['schemas']['ConsumerFunnelStepReached'];
export type ConsumerHandoffInitiated = components['schemas']['ConsumerHandoffInitiated'];
export type ConsumerLocaleChanged = components['schemas']['ConsumerLocaleChanged'];
export type ConsumerPageViewed = components['schemas']['ConsumerPageViewed'];
export type ConsumerSearchExecuted = components['schemas']['ConsumerSearchExecuted'];
export type ConsumerSessionEnded = components['schemas']['ConsumerSessionEnded'];
export type ConsumerSessionStarted = components['schemas']['ConsumerSessionStarted'];
export type ConsumerWishlistAdded = components['schemas']['ConsumerWishlistAdded'];
export type ConsumerWishlistRemoved = components['schemas']['ConsumerWishlistRemoved'];
export type TenantBookingDraftAbandoned = components['schemas']['TenantBookingDraftAbandoned'];
export type TenantBookingDraftConverted = components['schemas']['TenantBookingDraftConverted'];
export type TenantBookingDraftCreated = components['schemas']['TenantBookingDraftCreated'];
export type TenantBootstrapServed = components['schemas']['TenantBootstrapServed'];
export type TenantConfirmationViewed = components['schemas']['TenantConfirmationViewed'];
export type TenantCurrencyChanged = components['schemas']['TenantCurrencyChanged'];
export type TenantFlowErrorEncountered = components['schemas']['TenantFlowErrorEncountered'];
export type TenantFlowStepCompleted = components['schemas']['TenantFlowStepCompleted'];
export type TenantHandoffConsumed = components['schemas']['TenantHandoffConsumed'];
export type TenantLocaleChanged = components['schemas']['TenantLocaleChanged'];
export type TenantPaymentIntentCreated = components['schemas']['TenantPaymentIntentCreated'];
export type IamSessionRevoked = components['schemas']['IamSessionRevoked'];
export type InventoryAllocationCommitted = components['schemas']['InventoryAllocationCommitted'];
export type InventoryAllocationFailed = components['schemas']['InventoryAllocationFailed'];
export type LockIntegrationKeyCredentialFailed = components['schemas']['LockIntegrationKeyCredentialFailed'];
export type LockIntegrationKeyCredentialIssued = components['schemas']['LockIntegrationKeyCredentialIssued'];
export type PaymentTransactionCaptured = components['schemas']['PaymentTransactionCaptured'];
export type PaymentTransactionFailed = components['schemas']['PaymentTransactionFailed'];
export type PaymentTransactionRefunded = components['schemas']['PaymentTransactionRefunded'];
export type PricingRatePlanPublished = components['schemas']['PricingRatePlanPublished'];
export type PropertyRoomTakenOutOfOrder = components['schemas']['PropertyRoomTakenOutOfOrder'];
export type ReservationCancelled = components['schemas']['ReservationCancelled'];
export type ReservationCheckInStarted = components['schemas']['ReservationCheckInStarted'];
export type ReservationCheckedIn = components['schemas']['ReservationCheckedIn'];
export type ReservationCheckedOut = components['schemas']['ReservationCheckedOut'];
export type ReservationCheckoutStarted = components['schemas']['ReservationCheckoutStarted'];
export type ReservationConfirmed = components['schemas']['ReservationConfirmed'];
export type ReservationDatesChanged = components['schemas']['ReservationDatesChanged'];
export type ReservationEarlyCheckout = components['schemas']['ReservationEarlyCheckout'];
export type ReservationHeld = components['schemas']['ReservationHeld'];
export type ReservationHoldExpired = components['schemas']['ReservationHoldExpired'];
export type ReservationItemsCheckedIn = components['schemas']['ReservationItemsCheckedIn'];
export type ReservationModified = components['schemas']['ReservationModified'];
export type ReservationNoShow = components['schemas']['ReservationNoShow'];
export type ReservationOverstayed = components['schemas']['ReservationOverstayed'];
export type ReservationQuoteCreated = components['schemas']['ReservationQuoteCreated'];
export type ReservationQuoteRequested = components['schemas']['ReservationQuoteRequested'];
export type ReservationSpecialRequestAdded = components['schemas']['ReservationSpecialRequestAdded'];
export type SearchAggregationListingIndexed = components['schemas']['SearchAggregationListingIndexed'];
export type TenantConfigUpdated = components['schemas']['TenantConfigUpdated'];
export type TenantReinstated = components['schemas']['TenantReinstated'];
export type TenantSettingsChanged = components['schemas']['TenantSettingsChanged'];
export type TenantSuspended = components['schemas']['TenantSuspended'];
export type ThemePublished = components['schemas']['ThemePublished'];

/** The payload of each event, by its subject, which is the `type` of the CloudEvent. */
export interface Payloads {
    "melmastoon.bff.consumer.bot_suspected.v1": ConsumerBotSuspected;
    "melmastoon.bff.consumer.click.recorded.v1": ConsumerClickRecorded;
    "melmastoon.bff.consumer.currency.changed.v1": ConsumerCurrencyChanged;
    "melmastoon.bff.consumer.funnel.step_reached.v1": ConsumerFunnelStepReached;
    "melmastoon.bff.consumer.handoff.initiated.v1": ConsumerHandoffInitiated;
    "melmastoon.bff.consumer.locale.changed.v1": ConsumerLocaleChanged;
    "melmastoon.bff.consumer.page.viewed.v1": ConsumerPageViewed;
    "melmastoon.bff.consumer.search.executed.v1": ConsumerSearchExecuted;
    "melmastoon.bff.consumer.session.ended.v1": ConsumerSessionEnded;
    "melmastoon.bff.consumer.session.started.v1": ConsumerSessionStarted;
    "melmastoon.bff.consumer.wishlist.added.v1": ConsumerWishlistAdded;
    "melmastoon.bff.consumer.wishlist.removed.v1": ConsumerWishlistRemoved;
    "melmastoon.bff.tenant.booking.draft.abandoned.v1": TenantBookingDraftAbandoned;
    "melmastoon.bff.tenant.booking.draft.converted.v1": TenantBookingDraftConverted;
    "melmastoon.bff.tenant.booking.draft.created.v1": TenantBookingDraftCreated;
    "melmastoon.bff.tenant.bootstrap.served.v1": TenantBootstrapServed;
    "melmastoon.bff.tenant.confirmation.viewed.v1": TenantConfirmationViewed;
    "melmastoon.bff.tenant.currency.changed.v1": TenantCurrencyChanged;
    "melmastoon.bff.tenant.flow.error_encountered.v1": TenantFlowErrorEncountered;
    "melmastoon.bff.tenant.flow.step_completed.v1": TenantFlowStepCompleted;
    "melmastoon.bff.tenant.handoff.consumed.v1": TenantHandoffConsumed;
    "melmastoon.bff.tenant.locale.changed.v1": TenantLocaleChanged;
    "melmastoon.bff.tenant.payment_intent.created.v1": TenantPaymentIntentCreated;
    "melmastoon.iam.session.revoked.v1": IamSessionRevoked;
    "melmastoon.inventory.allocation.committed.v1": InventoryAllocationCommitted;
    "melmastoon.inventory.allocation.failed.v1": InventoryAllocationFailed;
    "melmastoon.lock_integration.key_credential.failed.v1": LockIntegrationKeyCredentialFailed;
    "melmastoon.lock_integration.key_credential.issued.v1": LockIntegrationKeyCredentialIssued;
    "melmastoon.payment.transaction.captured.v1": PaymentTransactionCaptured;
    "melmastoon.payment.transaction.failed.v1": PaymentTransactionFailed;
    "melmastoon.payment.transaction.refunded.v1": PaymentTransactionRefunded;
    "melmastoon.pricing.rate_plan.published.v1": PricingRatePlanPublished;
    "melmastoon.property.room.taken_out_of_order.v1": PropertyRoomTakenOutOfOrder;
    "melmastoon.reservation.cancelled.v1": ReservationCancelled;
    "melmastoon.reservation.check_in_started.v1": ReservationCheckInStarted;
    "melmastoon.reservation.checked_in.v1": ReservationCheckedIn;
    "melmastoon.reservation.checked_out.v1": ReservationCheckedOut;
    "melmastoon.reservation.checkout_started.v1": ReservationCheckoutStarted;
    "melmastoon.reservation.confirmed.v1": ReservationConfirmed;
    "melmastoon.reservation.dates_changed.v1": ReservationDatesChanged;
    "melmastoon.reservation.early_checkout.v1": ReservationEarlyCheckout;
    "melmastoon.reservation.held.v1": ReservationHeld;
    "melmastoon.reservation.hold_expired.v1": ReservationHoldExpired;
    "melmastoon.reservation.items_checked_in.v1": ReservationItemsCheckedIn;
    "melmastoon.reservation.modified.v1": ReservationModified;
    "melmastoon.reservation.no_show.v1": ReservationNoShow;
    "melmastoon.reservation.overstayed.v1": ReservationOverstayed;
    "melmastoon.reservation.quote.created.v1": ReservationQuoteCreated;
    "melmastoon.reservation.quote.requested.v1": ReservationQuoteRequested;
    "melmastoon.reservation.special_request.added.v1": ReservationSpecialRequestAdded;
    "melmastoon.search_aggregation.listing.indexed.v1": SearchAggregationListingIndexed;
    "melmastoon.tenant.config_updated.v1": TenantConfigUpdated;
    "melmastoon.tenant.reinstated.v1": TenantReinstated;
    "melmastoon.tenant.settings.changed.v1": TenantSettingsChanged;
    "melmastoon.tenant.suspended.v1": TenantSuspended;
    "melmastoon.theme.published.v1": ThemePublished;
}
