-- sandbox: the platform's own side, as far as the three services need it. Re-runnable.

CREATE SCHEMA IF NOT EXISTS sandbox;

-- Of this extension (also of Cloud SQL) the search for a misspelt city uses levenshtein_less_equal.
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch WITH SCHEMA sandbox;

-- Roles belong to the whole cluster, so another database may just be making them too.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['sandbox_app', 'sandbox_maintenance'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA sandbox TO sandbox_app, sandbox_maintenance;

-- Tenant and property: who there is and what they let.

CREATE TABLE IF NOT EXISTS sandbox.tenants (
    tenant_id                   uuid PRIMARY KEY,
    slug                        text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    brand_name                  text NOT NULL,
    status                      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
    region                      text NOT NULL,
    currency                    text NOT NULL,
    currencies                  text[] NOT NULL,
    locales                     text[] NOT NULL,
    payment_methods             text[] NOT NULL,
    config_version              int NOT NULL DEFAULT 1,
    hold_ttl_seconds            int NOT NULL DEFAULT 600 CHECK (hold_ttl_seconds BETWEEN 120 AND 1800),
    no_show_grace_hours         int NOT NULL DEFAULT 6 CHECK (no_show_grace_hours >= 0),
    cancellation_policy_version int NOT NULL DEFAULT 1,
    brand_tagline               text,                   -- NULL: the hotel has none
    version                     int NOT NULL DEFAULT 1, -- of the aggregate, as in its events
    brand_localized             jsonb NOT NULL DEFAULT '{}',
    CHECK (currency = ANY (currencies))
);

-- Search omits the hotels of tenants that are not active. These tenants are few.
CREATE INDEX IF NOT EXISTS ix_tenants_inactive ON sandbox.tenants (tenant_id) WHERE status <> 'active';

CREATE TABLE IF NOT EXISTS sandbox.tenant_domains (
    domain    text PRIMARY KEY CHECK (domain = lower(domain)),
    tenant_id uuid NOT NULL REFERENCES sandbox.tenants
);
CREATE INDEX IF NOT EXISTS ix_tenant_domains_tenant ON sandbox.tenant_domains (tenant_id);

-- The platform's own table, the same for every tenant: where hotels are.
CREATE TABLE IF NOT EXISTS sandbox.cities (
    city_id        text PRIMARY KEY CHECK (city_id ~ '^[a-z]{2}-[a-z0-9-]+$'),
    name           text NOT NULL,
    name_localized jsonb NOT NULL DEFAULT '{}',
    country        text NOT NULL,
    region         text NOT NULL,
    time_zone      text NOT NULL,
    latitude       float8 NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude      float8 NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    city_keys      text[] NOT NULL, -- its names in all languages, folded as what people type is
    region_keys    text[] NOT NULL  -- those of its region and its country
);
CREATE INDEX IF NOT EXISTS ix_cities_city_keys ON sandbox.cities USING gin (city_keys);
CREATE INDEX IF NOT EXISTS ix_cities_region_keys ON sandbox.cities USING gin (region_keys);

CREATE TABLE IF NOT EXISTS sandbox.properties (
    property_id       uuid PRIMARY KEY,
    tenant_id         uuid NOT NULL REFERENCES sandbox.tenants,
    name              text NOT NULL,
    name_localized    jsonb NOT NULL DEFAULT '{}',
    time_zone         text NOT NULL,
    city              text NOT NULL,
    country           text NOT NULL,
    latitude          float8 NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude         float8 NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    star_rating       int NOT NULL CHECK (star_rating BETWEEN 1 AND 5),
    city_id           text REFERENCES sandbox.cities, -- NULL: not looked up yet, and no search finds it
    property_type     text NOT NULL DEFAULT 'hotel' CHECK (property_type IN ('hotel', 'guesthouse', 'hostel', 'apartment')),
    neighbourhood     text NOT NULL DEFAULT '',
    neighbourhood_key text NOT NULL DEFAULT '',       -- folded as what people type is
    amenities         text[] NOT NULL DEFAULT '{}',
    badges            text[] NOT NULL DEFAULT '{}',
    rating            numeric(2, 1) NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
    rating_count      int NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
    check_in_from     time NOT NULL DEFAULT '14:00',
    check_out_until   time NOT NULL DEFAULT '12:00'
);
CREATE INDEX IF NOT EXISTS ix_properties_tenant ON sandbox.properties (tenant_id);

CREATE TABLE IF NOT EXISTS sandbox.room_types (
    room_type_id  uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES sandbox.tenants,
    property_id   uuid NOT NULL REFERENCES sandbox.properties,
    name          text NOT NULL,
    description   text NOT NULL,
    max_occupancy int NOT NULL CHECK (max_occupancy > 0),
    units         int NOT NULL CHECK (units >= 0)
);
CREATE INDEX IF NOT EXISTS ix_room_types_property ON sandbox.room_types (property_id);

-- Pricing: a plan costs what its weekday costs, in the tenant's currency; taxes and fees belong to the property.

CREATE TABLE IF NOT EXISTS sandbox.rate_plans (
    rate_plan_id             uuid PRIMARY KEY,
    tenant_id                uuid NOT NULL REFERENCES sandbox.tenants,
    property_id              uuid NOT NULL REFERENCES sandbox.properties,
    room_type_id             uuid NOT NULL REFERENCES sandbox.room_types,
    name                     text NOT NULL,
    meal_plan                text NOT NULL,
    cancellation_ref         text NOT NULL,
    free_until_hours_before  int NOT NULL CHECK (free_until_hours_before >= 0),
    penalty_percent          int NOT NULL CHECK (penalty_percent BETWEEN 0 AND 100),
    cancellation_description text NOT NULL,
    version                  int NOT NULL DEFAULT 1, -- one more with each publication of its prices
    penalty_nights           int NOT NULL DEFAULT 0 CHECK (penalty_nights >= 0),
    no_show_percent          int CHECK (no_show_percent BETWEEN 0 AND 100), -- NULL: a no-show costs what a late cancellation costs
    no_show_nights           int NOT NULL DEFAULT 0 CHECK (no_show_nights >= 0)
);
CREATE INDEX IF NOT EXISTS ix_rate_plans_property ON sandbox.rate_plans (property_id);

CREATE TABLE IF NOT EXISTS sandbox.weekday_rates (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    rate_plan_id uuid NOT NULL REFERENCES sandbox.rate_plans,
    weekday      int NOT NULL CHECK (weekday BETWEEN 1 AND 7), -- ISO: Monday is 1
    amount_micro bigint NOT NULL CHECK (amount_micro > 0),
    PRIMARY KEY (rate_plan_id, weekday)
);

CREATE TABLE IF NOT EXISTS sandbox.charges (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    property_id  uuid NOT NULL REFERENCES sandbox.properties,
    position     int NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('tax', 'fee')),
    description  text NOT NULL,
    basis_points int CHECK (basis_points > 0),   -- a tax: of the rooms less their discount
    amount_micro bigint CHECK (amount_micro > 0), -- a fee, in the tenant's currency
    -- A fee is charged per room and night, per room and stay (a final cleaning), or once per booking. A tax is a share of each night.
    per          text NOT NULL DEFAULT 'night' CHECK (per IN ('night', 'stay', 'booking')),
    PRIMARY KEY (property_id, position),
    CONSTRAINT charges_per_of_fees CHECK (kind = 'fee' OR per = 'night'),
    CHECK ((kind = 'tax') = (basis_points IS NOT NULL) AND (kind = 'fee') = (amount_micro IS NOT NULL))
);

CREATE TABLE IF NOT EXISTS sandbox.promo_codes (
    tenant_id   uuid NOT NULL REFERENCES sandbox.tenants,
    code        text NOT NULL CHECK (code = upper(code)),
    percent     int NOT NULL CHECK (percent BETWEEN 1 AND 100),
    valid_until timestamptz, -- NULL: until it is taken away
    PRIMARY KEY (tenant_id, code)
);

-- The platform's own table, the same for every tenant: what one unit of base costs in quote.
CREATE TABLE IF NOT EXISTS sandbox.fx_snapshots (
    fx_snapshot_id uuid PRIMARY KEY,
    base           text NOT NULL,
    quote          text NOT NULL,
    rate           numeric NOT NULL CHECK (rate > 0),
    source         text NOT NULL,
    captured_at    timestamptz NOT NULL,
    UNIQUE (base, quote, captured_at)
);

-- Payment: an intent is captured once, and never gives back more than it took.

CREATE TABLE IF NOT EXISTS sandbox.intents (
    intent_id         uuid PRIMARY KEY,
    tenant_id         uuid NOT NULL REFERENCES sandbox.tenants,
    reservation_id    uuid NOT NULL,
    method            text NOT NULL CHECK (method IN ('card', 'paypal', 'mfs', 'cash_on_arrival')),
    provider          text NOT NULL,
    status            text NOT NULL CHECK (status IN ('requires_payment', 'requires_action', 'processing', 'captured', 'pending_cash', 'failed', 'superseded')),
    attempts          int NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
    amount_micro      bigint NOT NULL CHECK (amount_micro > 0),
    currency          text NOT NULL,
    return_url        text,
    captured_micro    bigint NOT NULL DEFAULT 0 CHECK (captured_micro IN (0, amount_micro)),
    refunded_micro    bigint NOT NULL DEFAULT 0 CHECK (refunded_micro BETWEEN 0 AND captured_micro),
    captured_at       timestamptz,
    captured_event_id uuid,
    failure_code      text CHECK (failure_code IN ('too_many_attempts', 'expired', 'cancelled')),
    version           int NOT NULL DEFAULT 1, -- of the aggregate, as in its events
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    client_secret     text, -- set: the guest approves on the hotel's page, which proves itself with it
    -- Set: the scenario that the sandbox plays when the guest approves.
    scenario          text CHECK (scenario IN ('pending', 'challenge_3ds', 'declined_3ds', 'posted_return')),
    CHECK ((status = 'captured') = (captured_at IS NOT NULL AND captured_event_id IS NOT NULL AND captured_micro > 0)),
    CHECK ((status = 'failed') = (failure_code IS NOT NULL))
);

CREATE UNIQUE INDEX IF NOT EXISTS intents_one_live ON sandbox.intents (reservation_id)
    WHERE status IN ('requires_payment', 'requires_action', 'processing', 'pending_cash');
CREATE INDEX IF NOT EXISTS ix_intents_reservation ON sandbox.intents (reservation_id);
CREATE INDEX IF NOT EXISTS intents_due ON sandbox.intents (expires_at, intent_id)
    WHERE status IN ('requires_payment', 'requires_action', 'processing');

CREATE TABLE IF NOT EXISTS sandbox.refunds (
    refund_id            uuid PRIMARY KEY,
    tenant_id            uuid NOT NULL REFERENCES sandbox.tenants,
    intent_id            uuid NOT NULL REFERENCES sandbox.intents,
    amount_micro         bigint NOT NULL CHECK (amount_micro > 0),
    reason               text NOT NULL,
    total_refunded_micro bigint NOT NULL, -- of the intent, this one included
    refunded_at          timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS ix_refunds_intent ON sandbox.refunds (intent_id);

-- Storefront: what a hotel shows of itself.

-- Every theme that was ever published. The one on show is the tenant's latest.
CREATE TABLE IF NOT EXISTS sandbox.theme_versions (
    theme_version_id uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES sandbox.tenants,
    theme_id         uuid NOT NULL,
    version          int NOT NULL CHECK (version > 0),
    tokens           jsonb NOT NULL,
    published_at     timestamptz NOT NULL,
    UNIQUE (tenant_id, version)
);

CREATE TABLE IF NOT EXISTS sandbox.room_texts (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    room_type_id uuid NOT NULL REFERENCES sandbox.room_types,
    locale       text NOT NULL,
    name         text NOT NULL,
    description  text NOT NULL,
    PRIMARY KEY (room_type_id, locale)
);

CREATE TABLE IF NOT EXISTS sandbox.policies (
    tenant_id       uuid NOT NULL REFERENCES sandbox.tenants,
    property_id     uuid NOT NULL REFERENCES sandbox.properties,
    position        int NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('cancellation', 'check_in', 'check_out', 'children', 'payment', 'pets')),
    title           text NOT NULL,
    title_localized jsonb NOT NULL DEFAULT '{}',
    body            text NOT NULL,
    body_localized  jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (property_id, position)
);
CREATE INDEX IF NOT EXISTS ix_policies_tenant ON sandbox.policies (tenant_id);

-- Search: one index over the hotels of all tenants. What is searched by stands in narrow columns beside what is shown. What changes by the
-- minute (rooms, clicks, a tenant's status) is read where it is kept, so that no answer is stale.

-- A hotel as search knows it since it was indexed last.
CREATE TABLE IF NOT EXISTS sandbox.listings (
    property_id       uuid PRIMARY KEY REFERENCES sandbox.properties,
    tenant_id         uuid NOT NULL REFERENCES sandbox.tenants,
    city_id           text NOT NULL REFERENCES sandbox.cities,
    time_zone         text NOT NULL,
    currency          text NOT NULL,           -- of its prices
    place             point NOT NULL,          -- longitude, latitude
    center_km         float8 NOT NULL,         -- from the middle of its city
    star_rating       int NOT NULL,
    rating            numeric(2, 1) NOT NULL,
    rating_count      int NOT NULL,
    standing          float8 NOT NULL,         -- the rating, drawn towards the average where few have given one
    property_type     text NOT NULL,
    neighbourhood_key text NOT NULL,
    amenities         text[] NOT NULL,
    name              text NOT NULL,
    name_localized    jsonb NOT NULL,
    badges            text[] NOT NULL,
    version           int NOT NULL DEFAULT 1,  -- one more with each time it is indexed
    indexed_at        timestamptz NOT NULL,
    geo_cell          bigint,                  -- the H3 cell at resolution 10, from which maps are clustered
    -- A copy of the index row of one room type, so that a map of thousands of hotels reads no room types, rates or inventory for most.
    main_version      int NOT NULL DEFAULT 0,  -- version when these columns were stored; else they are ignored
    main_room_type    uuid,
    main_occupancy    int,
    main_units        int,
    main_open_from    date,
    main_open_until   date
);

CREATE INDEX IF NOT EXISTS ix_listings_city ON sandbox.listings (city_id);
CREATE INDEX IF NOT EXISTS ix_listings_place ON sandbox.listings USING gist (place);

-- The rooms of a listing, and for which nights without a gap at least so many of them are on sale: for most stays inventory's
-- nights, of which there are 400 for each room type, need not be read. Whoever takes rooms off sale indexes the hotel anew.
CREATE TABLE IF NOT EXISTS sandbox.listing_rooms (
    room_type_id  uuid PRIMARY KEY REFERENCES sandbox.room_types,
    tenant_id     uuid NOT NULL REFERENCES sandbox.tenants,
    property_id   uuid NOT NULL REFERENCES sandbox.listings,
    max_occupancy int NOT NULL,
    units         int NOT NULL,
    open_from     date NOT NULL,
    open_until    date NOT NULL -- the day after the last of these nights
);

CREATE INDEX IF NOT EXISTS ix_listing_rooms_property ON sandbox.listing_rooms (property_id);

-- The rates of a listing as they stood when it was indexed, the whole week in one row.
CREATE TABLE IF NOT EXISTS sandbox.listing_rates (
    rate_plan_id            uuid PRIMARY KEY REFERENCES sandbox.rate_plans,
    tenant_id               uuid NOT NULL REFERENCES sandbox.tenants,
    property_id             uuid NOT NULL REFERENCES sandbox.listings,
    room_type_id            uuid NOT NULL,
    free_until_hours_before int NOT NULL,
    penalty_percent         int NOT NULL,
    weekday_micro           bigint[] NOT NULL CHECK (cardinality(weekday_micro) = 7) -- Monday first
);

CREATE INDEX IF NOT EXISTS ix_listing_rates_room_type ON sandbox.listing_rates (room_type_id);

-- What guests of all hotels look at. It stands alone, for it is written with each click.
CREATE TABLE IF NOT EXISTS sandbox.popularity (
    property_id uuid PRIMARY KEY REFERENCES sandbox.properties,
    clicks      bigint NOT NULL CHECK (clicks > 0)
) WITH (fillfactor = 70);

-- How far two places are from each other, on a sphere.
CREATE OR REPLACE FUNCTION sandbox.km(a point, b point) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT 2 * 6371.0088 * asin(least(1, sqrt(
        sin(radians(b[1] - a[1]) / 2) ^ 2 + cos(radians(a[1])) * cos(radians(b[1])) * sin(radians(b[0] - a[0]) / 2) ^ 2)))
$$;

-- The parent of a cell at a coarser resolution: bits 52 to 55 are the resolution, and each digit after it is 7.
CREATE OR REPLACE FUNCTION sandbox.h3_parent(cell bigint, resolution int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (cell & ~(15::bigint << 52)) | (resolution::bigint << 52) | ((1::bigint << (3 * (15 - resolution))) - 1)
$$;

-- Inventory: which rooms are whose, night by night. A night knows how many of its rooms are taken, so that a hold need not count
-- allocations. Every function that takes, keeps or gives back rooms first locks the rows of its nights, in one order, and only then reads the
-- clock and what is taken. So two callers never decide about one night at the same time, an expired hold cannot be committed after its rooms
-- were sold again, and there are no deadlocks.
--
-- Holds end by the clock, without a write, so each night stores for how long its count is right: sandbox.stands.

-- How many rooms of a type are on sale on a night. No row: none.
CREATE TABLE IF NOT EXISTS sandbox.inventory_nights (
    tenant_id    uuid NOT NULL, -- of the room type, as the property: to check both for each of 400 nights takes too long
    property_id  uuid NOT NULL,
    room_type_id uuid NOT NULL REFERENCES sandbox.room_types,
    night        date NOT NULL,
    capacity     int NOT NULL CHECK (capacity >= 0),
    taken        int         NOT NULL DEFAULT 0 CHECK (taken >= 0), -- by the allocations that take rooms at counted_at
    counted_at   timestamptz NOT NULL DEFAULT '-infinity',
    next_lapse   timestamptz NOT NULL DEFAULT 'infinity',           -- none of the holds in taken ends before
    PRIMARY KEY (room_type_id, night)
) WITH (fillfactor = 50); -- half of each page is free for heap-only updates

-- An allocation's id names one act for ever: a repeat finds its outcome here, a refused one stays refused.
-- It has no foreign keys: checking them would make every taker of a room type write to the same few rows.
CREATE TABLE IF NOT EXISTS sandbox.allocations (
    allocation_id  uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL,
    property_id    uuid NOT NULL,
    room_type_id   uuid NOT NULL,
    reservation_id uuid NOT NULL,
    starts_on      date NOT NULL,
    ends_on        date NOT NULL,
    units          int NOT NULL CHECK (units > 0),
    state          text NOT NULL CHECK (state IN ('held', 'committed', 'released', 'refused')),
    placed_at      timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL, -- of the hold; a committed allocation does not expire
    committed_at   timestamptz,
    released_at    timestamptz,
    CONSTRAINT longest_stay CHECK (ends_on - starts_on BETWEEN 1 AND 366),
    CHECK (state <> 'committed' OR committed_at IS NOT NULL),
    CHECK ((state = 'released') = (released_at IS NOT NULL))
);

CREATE INDEX IF NOT EXISTS ix_allocations_takes ON sandbox.allocations (room_type_id, ends_on, starts_on)
    WHERE state IN ('held', 'committed');

-- Whether an allocation takes its rooms from others at a moment. The one definition.
CREATE OR REPLACE FUNCTION sandbox.takes(state text, expires_at timestamptz, at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT state = 'committed' OR (state = 'held' AND expires_at > at) $$;

-- Whether a count is right at a moment: no hold has ended since, and the clock has not been put back. The one definition.
CREATE OR REPLACE FUNCTION sandbox.stands(counted_at timestamptz, next_lapse timestamptz, at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT counted_at <= at AND at < next_lapse $$;

-- What the allocations say is taken, and when the first of these holds ends. A night of which nothing is taken has no row.
CREATE OR REPLACE FUNCTION sandbox.count_taken(p_room_types uuid[], p_start date, p_end date, p_at timestamptz)
RETURNS TABLE (room_type_id uuid, night date, taken int, next_lapse timestamptz)
LANGUAGE sql STABLE
AS $$
    SELECT a.room_type_id, p_start + d.n, sum(a.units)::int, min(a.expires_at) FILTER (WHERE a.state = 'held')
    FROM sandbox.allocations AS a
    CROSS JOIN LATERAL generate_series(greatest(a.starts_on - p_start, 0), least(a.ends_on, p_end) - p_start - 1) AS d (n)
    WHERE a.room_type_id = ANY (p_room_types) AND a.state IN ('held', 'committed')
      AND a.ends_on > p_start AND a.ends_on < p_end + 366 -- longest_stay bounds the look
      AND a.starts_on < p_end
      AND sandbox.takes(a.state, a.expires_at, p_at)
    GROUP BY a.room_type_id, d.n
$$;

-- What is left of each room type on its fullest night of a stay. It decides nothing without the locks of hold_rooms.
CREATE OR REPLACE FUNCTION sandbox.units_left(p_room_types uuid[], p_start date, p_end date, p_at timestamptz)
RETURNS TABLE (room_type_id uuid, units_left int)
LANGUAGE sql STABLE
AS $$
    WITH counted AS MATERIALIZED ( -- once for all nights, and only if a count does not stand
        SELECT c.room_type_id, c.night, c.taken FROM sandbox.count_taken(p_room_types, p_start, p_end, p_at) AS c)
    SELECT r.room_type_id,
           CASE WHEN count(n.night) < p_end - p_start THEN 0
                ELSE greatest(0, min(n.capacity - CASE WHEN sandbox.stands(n.counted_at, n.next_lapse, p_at) THEN n.taken
                    ELSE coalesce((SELECT c.taken FROM counted AS c WHERE c.room_type_id = n.room_type_id AND c.night = n.night), 0)
                    END)) END
    FROM (SELECT DISTINCT u.room_type_id FROM unnest(p_room_types) AS u (room_type_id)) AS r
    LEFT JOIN sandbox.inventory_nights AS n
        ON n.room_type_id = r.room_type_id AND n.night >= p_start AND n.night < p_end
    GROUP BY r.room_type_id
$$;

-- lock_nights has a stay's nights for the caller until its transaction ends. What they count as taken is right at the moment that it
-- returns: exactly the allocations that take rooms then.
CREATE OR REPLACE FUNCTION sandbox.lock_nights(p_room_types uuid[], p_start date, p_end date) RETURNS timestamptz
LANGUAGE plpgsql
AS $$
DECLARE
    counted timestamptz;
    lapse   timestamptz;
    at      timestamptz;
BEGIN
    SELECT max(l.counted_at), min(l.next_lapse) INTO counted, lapse
    FROM (
        SELECT n.counted_at, n.next_lapse
        FROM sandbox.inventory_nights AS n
        WHERE n.room_type_id = ANY (p_room_types) AND n.night >= p_start AND n.night < p_end
        ORDER BY n.room_type_id, n.night
        FOR NO KEY UPDATE) AS l;
    at := platform.now(); -- after the locks: an earlier reading could find a lapsed hold alive, or the reverse
    IF NOT sandbox.stands(counted, lapse, at) THEN
        WITH counted AS MATERIALIZED (
            SELECT c.room_type_id, c.night, c.taken, c.next_lapse FROM sandbox.count_taken(p_room_types, p_start, p_end, at) AS c)
        UPDATE sandbox.inventory_nights AS n
        SET (taken, next_lapse, counted_at) = (
            SELECT coalesce(sum(c.taken), 0), coalesce(min(c.next_lapse), 'infinity'), at
            FROM counted AS c
            WHERE c.room_type_id = n.room_type_id AND c.night = n.night)
        WHERE n.room_type_id = ANY (p_room_types) AND n.night >= p_start AND n.night < p_end
          AND NOT sandbox.stands(n.counted_at, n.next_lapse, at);
    END IF;
    RETURN at;
END
$$;

-- lock_nights for allocations. They are of one stay; of several, it has all nights from the first to the last.
CREATE OR REPLACE FUNCTION sandbox.lock_nights_of(p_allocations uuid[]) RETURNS timestamptz
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN (
        SELECT sandbox.lock_nights(array_agg(DISTINCT a.room_type_id), min(a.starts_on), max(a.ends_on))
        FROM sandbox.allocations AS a
        WHERE a.allocation_id = ANY (p_allocations));
END
$$;

-- What became of a hold that was asked for before: held, over, refused; mismatch if it was another hold.
-- In PL/pgSQL, which keeps its plans: a function in SQL that is not inlined is planned anew at each call.
CREATE OR REPLACE FUNCTION sandbox.recall_hold(
    p_property uuid, p_reservation uuid, p_start date, p_end date, p_allocations uuid[], p_room_types uuid[], p_units int[],
    OUT outcome text, OUT placed_at timestamptz, OUT expires_at timestamptz)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    SELECT CASE
               WHEN count(*) FILTER (WHERE (a.property_id, a.reservation_id, a.starts_on, a.ends_on, a.room_type_id, a.units)
                    = (p_property, p_reservation, p_start, p_end, w.room_type_id, w.units)) < count(*) THEN 'mismatch'
               WHEN bool_and(a.state = 'refused') THEN 'refused'
               WHEN bool_and(sandbox.takes(a.state, a.expires_at, platform.now())) THEN 'held'
               ELSE 'over'
           END, min(a.placed_at), min(a.expires_at)
    INTO outcome, placed_at, expires_at
    FROM unnest(p_allocations, p_room_types, p_units) AS w (allocation_id, room_type_id, units)
    LEFT JOIN sandbox.allocations AS a ON a.allocation_id = w.allocation_id;
END
$$;

-- lock_stays is lock_nights for stays of different windows: of each room type the nights of its own window only. The i-th room type,
-- start and end belong together.
CREATE OR REPLACE FUNCTION sandbox.lock_stays(p_room_types uuid[], p_starts date[], p_ends date[]) RETURNS timestamptz
LANGUAGE plpgsql
AS $$
DECLARE
    counted timestamptz;
    lapse   timestamptz;
    at      timestamptz;
BEGIN
    SELECT max(l.counted_at), min(l.next_lapse) INTO counted, lapse
    FROM (
        SELECT n.counted_at, n.next_lapse
        FROM sandbox.inventory_nights AS n
        WHERE EXISTS (SELECT FROM unnest(p_room_types, p_starts, p_ends) AS s (room_type_id, starts_on, ends_on)
                      WHERE s.room_type_id = n.room_type_id AND n.night >= s.starts_on AND n.night < s.ends_on)
        ORDER BY n.room_type_id, n.night
        FOR NO KEY UPDATE) AS l;
    at := platform.now(); -- after the locks: an earlier reading could find an expired hold alive, or the reverse
    IF NOT sandbox.stands(counted, lapse, at) THEN
        WITH counted AS MATERIALIZED (
            SELECT c.room_type_id, c.night, c.taken, c.next_lapse
            FROM (SELECT array_agg(DISTINCT s.room_type_id) AS room_types, min(s.starts_on) AS first, max(s.ends_on) AS until
                  FROM unnest(p_room_types, p_starts, p_ends) AS s (room_type_id, starts_on, ends_on)) AS box
            CROSS JOIN LATERAL sandbox.count_taken(box.room_types, box.first, box.until, at) AS c)
        UPDATE sandbox.inventory_nights AS n
        SET (taken, next_lapse, counted_at) = (
            SELECT coalesce(sum(c.taken), 0), coalesce(min(c.next_lapse), 'infinity'), at
            FROM counted AS c
            WHERE c.room_type_id = n.room_type_id AND c.night = n.night)
        WHERE EXISTS (SELECT FROM unnest(p_room_types, p_starts, p_ends) AS s (room_type_id, starts_on, ends_on)
                      WHERE s.room_type_id = n.room_type_id AND n.night >= s.starts_on AND n.night < s.ends_on)
          AND NOT sandbox.stands(n.counted_at, n.next_lapse, at);
    END IF;
    RETURN at;
END
$$;

-- hold_rooms takes all rooms of a request or refuses it, and stores either outcome under the request's allocation ids. The held rooms of
-- the property in p_replaces count as free, and are released if the outcome is held. It ignores committed, expired and unknown ones.
-- outcome: held, refused, over (held once, expired or released since), mismatch, unknown (a room type of another property).
-- fresh is true in the one call that decided, and false in its repetitions.
CREATE OR REPLACE FUNCTION sandbox.hold_rooms(
    p_tenant uuid, p_property uuid, p_reservation uuid, p_start date, p_end date, p_ttl interval,
    p_allocations uuid[], p_room_types uuid[], p_units int[], p_replaces uuid[] DEFAULT '{}',
    OUT outcome text, OUT placed_at timestamptz, OUT expires_at timestamptz, OUT fresh boolean)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan -- planning for each call's own arrays takes longer than the rest
AS $$
DECLARE
    types       uuid[] := p_room_types; -- that are wanted, each once
    wanted      int[]  := p_units;      -- so many of each
    replaced    uuid[] := '{}';         -- the held ones of p_replaces
    lock_types  uuid[];                 -- of the replaced rooms
    lock_starts date[];
    lock_ends   date[];
    nights      int;                    -- that are on sale
    short       boolean;                -- one of them has not so many left
    locked      boolean := false;
    inserted    int;
BEGIN
    fresh := false;
    IF EXISTS (SELECT FROM sandbox.allocations AS a WHERE a.allocation_id = ANY (p_allocations)) THEN -- most are requested once
        SELECT h.outcome, h.placed_at, h.expires_at INTO outcome, placed_at, expires_at
        FROM sandbox.recall_hold(p_property, p_reservation, p_start, p_end, p_allocations, p_room_types, p_units) AS h;
        RETURN;
    END IF;
    IF cardinality(types) > 1 THEN
        SELECT array_agg(w.room_type_id), array_agg(w.units) INTO types, wanted
        FROM (SELECT w.room_type_id, sum(w.units)::int AS units
              FROM unnest(p_room_types, p_units) AS w (room_type_id, units)
              GROUP BY w.room_type_id) AS w;
    END IF;
    -- The nights of an allocation never change, so they can be read before they are locked. Its state is read again with the locks. An
    -- allocation that is placed in between is not in this list: its nights would not be locked.
    IF cardinality(p_replaces) > 0 THEN
        SELECT coalesce(array_agg(a.allocation_id), '{}'), array_agg(a.room_type_id), array_agg(a.starts_on), array_agg(a.ends_on)
        INTO replaced, lock_types, lock_starts, lock_ends
        FROM sandbox.allocations AS a
        WHERE a.allocation_id = ANY (p_replaces) AND a.property_id = p_property AND a.state = 'held';
    END IF;

    -- On a hot night most are refused. That needs no lock: a property that is full at any moment may refuse. A count that no longer
    -- stands decides nothing without the locks. A night that gets no further guest is never short, also where rooms are out of order
    -- and its capacity is below what is taken.
    placed_at := platform.now();
    LOOP
        SELECT count(*), coalesce(bool_or(n.wanted > n.freed AND n.capacity - n.taken + n.freed < n.wanted
            AND sandbox.stands(n.counted_at, n.next_lapse, hold_rooms.placed_at)), false)
        INTO nights, short
        FROM (
            SELECT i.capacity, i.taken, i.counted_at, i.next_lapse, wanted[array_position(types, i.room_type_id)] AS wanted,
                   CASE WHEN cardinality(replaced) = 0 THEN 0 ELSE (
                       SELECT coalesce(sum(a.units), 0)
                       FROM sandbox.allocations AS a
                       WHERE a.allocation_id = ANY (replaced) AND a.room_type_id = i.room_type_id
                         AND a.starts_on <= i.night AND a.ends_on > i.night
                         AND a.state = 'held' AND sandbox.takes(a.state, a.expires_at, hold_rooms.placed_at))
                   END AS freed
            FROM sandbox.inventory_nights AS i
            WHERE i.room_type_id = ANY (types) AND i.night >= p_start AND i.night < p_end AND i.property_id = p_property) AS n;
        IF nights < cardinality(types) * (p_end - p_start) THEN
            short := true;
            IF (SELECT count(*) FROM sandbox.room_types AS t
                WHERE t.room_type_id = ANY (types) AND t.property_id = p_property AND t.tenant_id = p_tenant) < cardinality(types) THEN
                outcome := 'unknown';
                RETURN;
            END IF;
        END IF;
        EXIT WHEN short OR locked;
        IF cardinality(replaced) = 0 THEN
            placed_at := sandbox.lock_nights(types, p_start, p_end);
        ELSE -- all nights in one statement, which locks them in the one order
            placed_at := sandbox.lock_stays(lock_types || types, lock_starts || array_fill(p_start, ARRAY[cardinality(types)]),
                lock_ends || array_fill(p_end, ARRAY[cardinality(types)]));
        END IF;
        locked := true;
    END LOOP;
    outcome := CASE WHEN short THEN 'refused' ELSE 'held' END;
    expires_at := placed_at + p_ttl;

    INSERT INTO sandbox.allocations (allocation_id, tenant_id, property_id, room_type_id, reservation_id,
        starts_on, ends_on, units, state, placed_at, expires_at)
    SELECT w.allocation_id, p_tenant, p_property, w.room_type_id, p_reservation,
        p_start, p_end, w.units, hold_rooms.outcome, hold_rooms.placed_at, hold_rooms.expires_at
    FROM unnest(p_allocations, p_room_types, p_units) AS w (allocation_id, room_type_id, units)
    ORDER BY w.allocation_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    fresh := inserted = cardinality(p_allocations);
    IF fresh THEN
        IF outcome = 'held' THEN
            UPDATE sandbox.inventory_nights AS n
            SET taken = n.taken + wanted[array_position(types, n.room_type_id)], next_lapse = least(n.next_lapse, hold_rooms.expires_at)
            WHERE n.room_type_id = ANY (types) AND n.night >= p_start AND n.night < p_end;
        END IF;
        IF outcome = 'held' AND cardinality(replaced) > 0 THEN
            UPDATE sandbox.inventory_nights AS n SET taken = n.taken - f.units
            FROM (SELECT a.room_type_id, a.starts_on + d.n AS night, sum(a.units) AS units
                  FROM sandbox.allocations AS a
                  CROSS JOIN LATERAL generate_series(0, a.ends_on - a.starts_on - 1) AS d (n)
                  WHERE a.allocation_id = ANY (replaced) AND a.state = 'held' AND sandbox.takes(a.state, a.expires_at, hold_rooms.placed_at)
                  GROUP BY a.room_type_id, a.starts_on + d.n) AS f
            WHERE n.room_type_id = f.room_type_id AND n.night = f.night;
            UPDATE sandbox.allocations AS a SET state = 'released', released_at = hold_rooms.placed_at
            WHERE a.allocation_id = ANY (replaced) AND a.state = 'held' AND sandbox.takes(a.state, a.expires_at, hold_rooms.placed_at);
        END IF;
        RETURN;
    END IF;
    IF inserted > 0 THEN -- some of the ids belong to another hold: nothing of this one may stay
        RAISE EXCEPTION 'allocation ids of different holds' USING ERRCODE = 'unique_violation', CONSTRAINT = 'allocations_pkey';
    END IF;
    -- The same request ran concurrently and was first. Its decision is the answer.
    SELECT h.outcome, h.placed_at, h.expires_at INTO outcome, placed_at, expires_at
    FROM sandbox.recall_hold(p_property, p_reservation, p_start, p_end, p_allocations, p_room_types, p_units) AS h;
END
$$;

-- commit_rooms keeps what is held for good: all of it or nothing.
-- outcome: committed, over (something lapsed, was released or was never given), unknown (no such allocation).
CREATE OR REPLACE FUNCTION sandbox.commit_rooms(p_allocations uuid[], OUT outcome text, OUT committed_at timestamptz)
LANGUAGE plpgsql
AS $$
DECLARE
    at timestamptz := sandbox.lock_nights_of(p_allocations);
BEGIN
    SELECT CASE
               WHEN count(*) < cardinality(p_allocations) THEN 'unknown'
               WHEN bool_and(sandbox.takes(a.state, a.expires_at, at)) THEN 'committed'
               ELSE 'over'
           END INTO outcome
    FROM sandbox.allocations AS a
    WHERE a.allocation_id = ANY (p_allocations);
    IF outcome <> 'committed' THEN
        RETURN;
    END IF;
    UPDATE sandbox.allocations AS a SET state = 'committed', committed_at = at
    WHERE a.allocation_id = ANY (p_allocations) AND a.state = 'held';
    SELECT max(a.committed_at) INTO commit_rooms.committed_at
    FROM sandbox.allocations AS a
    WHERE a.allocation_id = ANY (p_allocations);
END
$$;

-- release_rooms gives rooms back, held or committed. What has none to give is left as it is.
CREATE OR REPLACE FUNCTION sandbox.release_rooms(p_allocations uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at timestamptz;
BEGIN
    IF NOT EXISTS (SELECT FROM sandbox.allocations AS a
                   WHERE a.allocation_id = ANY (p_allocations) AND a.state IN ('held', 'committed')) THEN
        RETURN; -- a repeat changes nothing, not even how the nights are counted
    END IF;
    at := sandbox.lock_nights_of(p_allocations);
    UPDATE sandbox.inventory_nights AS n SET taken = n.taken - g.units
    FROM (
        SELECT a.room_type_id, a.starts_on + d.n AS night, sum(a.units) AS units
        FROM sandbox.allocations AS a
        CROSS JOIN LATERAL generate_series(0, a.ends_on - a.starts_on - 1) AS d (n)
        WHERE a.allocation_id = ANY (p_allocations) AND sandbox.takes(a.state, a.expires_at, at)
        GROUP BY a.room_type_id, a.starts_on + d.n) AS g
    WHERE n.room_type_id = g.room_type_id AND n.night = g.night;
    UPDATE sandbox.allocations AS a SET state = 'released', released_at = at
    WHERE a.allocation_id = ANY (p_allocations) AND a.state IN ('held', 'committed');
END
$$;

-- What became of a reallocation that was requested before: committed, over, refused; mismatch if it had other terms. Rooms of a
-- reallocation never were held: their expires_at is their placed_at.
CREATE OR REPLACE FUNCTION sandbox.recall_reallocation(
    p_property uuid, p_reservation uuid, p_releases uuid[],
    p_allocations uuid[], p_room_types uuid[], p_units int[], p_starts date[], p_ends date[],
    OUT outcome text, OUT reallocated_at timestamptz)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    SELECT CASE
               WHEN count(*) FILTER (WHERE a.expires_at = a.placed_at
                    AND (a.property_id, a.reservation_id, a.room_type_id, a.units, a.starts_on, a.ends_on)
                    = (p_property, p_reservation, w.room_type_id, w.units, w.starts_on, w.ends_on)) < count(*) THEN 'mismatch'
               WHEN bool_and(a.state = 'refused') THEN 'refused'
               WHEN NOT bool_and(a.state = 'committed') THEN 'over'
               -- The first call released its releases: one that still takes rooms was not among them.
               WHEN EXISTS (SELECT FROM sandbox.allocations AS r
                            WHERE r.allocation_id = ANY (p_releases) AND r.state IN ('held', 'committed')) THEN 'mismatch'
               ELSE 'committed'
           END, min(a.placed_at)
    INTO outcome, reallocated_at
    FROM unnest(p_allocations, p_room_types, p_units, p_starts, p_ends) AS w (allocation_id, room_type_id, units, starts_on, ends_on)
    LEFT JOIN sandbox.allocations AS a ON a.allocation_id = w.allocation_id;
END
$$;

-- reallocate_rooms releases rooms of a reservation and commits others, all or none. Rooms that it releases count as free for what it
-- takes. A refusal is stored under the new ids, so that a late repetition cannot succeed.
-- outcome: committed, refused, over (committed once, released since), mismatch, unknown (a room type of another property).
-- fresh is true in the one call that decided, and false in its repetitions.
CREATE OR REPLACE FUNCTION sandbox.reallocate_rooms(
    p_tenant uuid, p_property uuid, p_reservation uuid, p_releases uuid[],
    p_allocations uuid[], p_room_types uuid[], p_units int[], p_starts date[], p_ends date[],
    OUT outcome text, OUT reallocated_at timestamptz, OUT fresh boolean)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan -- planning for each call's own arrays takes longer than the rest
AS $$
DECLARE
    lock_types  uuid[];
    lock_starts date[];
    lock_ends   date[];
    inserted    int;
BEGIN
    fresh := false;
    IF EXISTS (SELECT FROM sandbox.allocations AS a
               WHERE a.allocation_id = ANY (p_releases) AND (a.property_id, a.reservation_id) <> (p_property, p_reservation)) THEN
        outcome := 'mismatch';
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM sandbox.allocations AS a WHERE a.allocation_id = ANY (p_allocations)) THEN
        SELECT r.outcome, r.reallocated_at INTO outcome, reallocated_at
        FROM sandbox.recall_reallocation(p_property, p_reservation, p_releases, p_allocations, p_room_types, p_units, p_starts, p_ends) AS r;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM unnest(p_room_types) AS w (room_type_id) WHERE NOT EXISTS (
            SELECT FROM sandbox.room_types AS t
            WHERE t.room_type_id = w.room_type_id AND t.property_id = p_property AND t.tenant_id = p_tenant)) THEN
        outcome := 'unknown';
        RETURN;
    END IF;

    SELECT array_agg(s.room_type_id), array_agg(s.starts_on), array_agg(s.ends_on) INTO lock_types, lock_starts, lock_ends
    FROM (SELECT w.room_type_id, w.starts_on, w.ends_on
          FROM unnest(p_room_types, p_starts, p_ends) AS w (room_type_id, starts_on, ends_on)
          UNION
          SELECT a.room_type_id, a.starts_on, a.ends_on
          FROM sandbox.allocations AS a
          WHERE a.allocation_id = ANY (p_releases) AND a.state IN ('held', 'committed')) AS s;
    IF lock_types IS NULL THEN -- nothing to take, and all releases are done: the time of the last
        outcome := 'committed';
        SELECT coalesce(max(a.released_at), platform.now()) INTO reallocated_at
        FROM sandbox.allocations AS a WHERE a.allocation_id = ANY (p_releases);
        RETURN;
    END IF;
    reallocated_at := sandbox.lock_stays(lock_types, lock_starts, lock_ends);

    -- A night is short if it lacks rooms for what is taken beyond what is released. A night that gets no further guest never is, also
    -- where rooms are out of order and its capacity is below what is taken.
    SELECT CASE WHEN bool_or(n.night IS NULL OR w.units > coalesce(f.units, 0) AND n.capacity - n.taken + coalesce(f.units, 0) < w.units)
           THEN 'refused' ELSE 'committed' END
    INTO outcome
    FROM (SELECT s.room_type_id, s.starts_on + d.n AS night, sum(s.units) AS units
          FROM unnest(p_room_types, p_units, p_starts, p_ends) AS s (room_type_id, units, starts_on, ends_on)
          CROSS JOIN LATERAL generate_series(0, s.ends_on - s.starts_on - 1) AS d (n)
          GROUP BY s.room_type_id, s.starts_on + d.n) AS w
    LEFT JOIN sandbox.inventory_nights AS n
        ON n.room_type_id = w.room_type_id AND n.night = w.night AND n.property_id = p_property
    LEFT JOIN (
          SELECT a.room_type_id, a.starts_on + d.n AS night, sum(a.units) AS units
          FROM sandbox.allocations AS a
          CROSS JOIN LATERAL generate_series(0, a.ends_on - a.starts_on - 1) AS d (n)
          WHERE a.allocation_id = ANY (p_releases) AND sandbox.takes(a.state, a.expires_at, reallocate_rooms.reallocated_at)
          GROUP BY a.room_type_id, a.starts_on + d.n) AS f
        ON f.room_type_id = w.room_type_id AND f.night = w.night;

    INSERT INTO sandbox.allocations (allocation_id, tenant_id, property_id, room_type_id, reservation_id,
        starts_on, ends_on, units, state, placed_at, expires_at, committed_at)
    SELECT w.allocation_id, p_tenant, p_property, w.room_type_id, p_reservation,
        w.starts_on, w.ends_on, w.units, reallocate_rooms.outcome, reallocate_rooms.reallocated_at, reallocate_rooms.reallocated_at,
        CASE reallocate_rooms.outcome WHEN 'committed' THEN reallocate_rooms.reallocated_at END
    FROM unnest(p_allocations, p_room_types, p_units, p_starts, p_ends) AS w (allocation_id, room_type_id, units, starts_on, ends_on)
    ORDER BY w.allocation_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    IF inserted > 0 AND inserted < cardinality(p_allocations) THEN -- some ids belong to another request: nothing of this one may stay
        RAISE EXCEPTION 'allocation ids of different requests' USING ERRCODE = 'unique_violation', CONSTRAINT = 'allocations_pkey';
    END IF;
    IF inserted < cardinality(p_allocations) THEN -- the same request ran concurrently and was first: its decision is the answer
        SELECT r.outcome, r.reallocated_at INTO outcome, reallocated_at
        FROM sandbox.recall_reallocation(p_property, p_reservation, p_releases, p_allocations, p_room_types, p_units, p_starts, p_ends) AS r;
        RETURN;
    END IF;
    fresh := true;
    IF outcome = 'refused' THEN
        RETURN;
    END IF;

    UPDATE sandbox.inventory_nights AS n SET taken = n.taken + g.units
    FROM (SELECT m.room_type_id, m.night, sum(m.units) AS units
          FROM (SELECT s.room_type_id, s.starts_on + d.n AS night, s.units
                FROM unnest(p_room_types, p_units, p_starts, p_ends) AS s (room_type_id, units, starts_on, ends_on)
                CROSS JOIN LATERAL generate_series(0, s.ends_on - s.starts_on - 1) AS d (n)
                UNION ALL
                SELECT a.room_type_id, a.starts_on + d.n, -a.units
                FROM sandbox.allocations AS a
                CROSS JOIN LATERAL generate_series(0, a.ends_on - a.starts_on - 1) AS d (n)
                WHERE a.allocation_id = ANY (p_releases)
                  AND sandbox.takes(a.state, a.expires_at, reallocate_rooms.reallocated_at)) AS m
          GROUP BY m.room_type_id, m.night
          HAVING sum(m.units) <> 0) AS g
    WHERE n.room_type_id = g.room_type_id AND n.night = g.night;
    UPDATE sandbox.allocations AS a SET state = 'released', released_at = reallocate_rooms.reallocated_at
    WHERE a.allocation_id = ANY (p_releases) AND a.state IN ('held', 'committed');
END
$$;

-- Property: physical rooms, and the periods in which they are out of order. Such a room lowers the capacity of its room type for these
-- nights, so that inventory does not sell it.

CREATE TABLE IF NOT EXISTS sandbox.rooms (
    room_id      uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    property_id  uuid NOT NULL REFERENCES sandbox.properties,
    room_type_id uuid NOT NULL REFERENCES sandbox.room_types,
    number       text NOT NULL,
    floor        int  NOT NULL,
    version      int  NOT NULL DEFAULT 1, -- of the aggregate, as in its events
    UNIQUE (property_id, number)
);

CREATE TABLE IF NOT EXISTS sandbox.room_outages (
    room_id     uuid NOT NULL REFERENCES sandbox.rooms,
    tenant_id   uuid NOT NULL,
    starts_on   date NOT NULL,
    ends_on     date NOT NULL,
    reason_code text NOT NULL,
    reported_at timestamptz NOT NULL,
    PRIMARY KEY (room_id, starts_on, ends_on),
    CHECK (starts_on < ends_on)
);

-- The nights that a room is out of order, each once, whatever number of periods it belongs to.
CREATE TABLE IF NOT EXISTS sandbox.room_nights_out (
    room_id      uuid NOT NULL REFERENCES sandbox.rooms,
    tenant_id    uuid NOT NULL,
    room_type_id uuid NOT NULL,
    night        date NOT NULL,
    PRIMARY KEY (room_id, night)
);
CREATE INDEX IF NOT EXISTS ix_room_nights_out_type ON sandbox.room_nights_out (room_type_id, night);

-- take_room_out stores a period and lowers the capacity of its nights that are not out of order yet. Like every decision about rooms
-- it locks the nights first. Rooms that are already taken stay taken. It returns false for a repetition.
CREATE OR REPLACE FUNCTION sandbox.take_room_out(p_room uuid, p_start date, p_end date, p_reason text) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    room     sandbox.rooms;
    inserted int;
BEGIN
    SELECT r.* INTO STRICT room FROM sandbox.rooms AS r WHERE r.room_id = p_room;
    PERFORM sandbox.lock_nights(ARRAY[room.room_type_id], p_start, p_end);
    INSERT INTO sandbox.room_outages (room_id, tenant_id, starts_on, ends_on, reason_code, reported_at)
    VALUES (p_room, room.tenant_id, p_start, p_end, p_reason, platform.now())
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    IF inserted = 0 THEN
        RETURN false;
    END IF;
    WITH lowered AS (
        INSERT INTO sandbox.room_nights_out (room_id, tenant_id, room_type_id, night)
        SELECT p_room, room.tenant_id, room.room_type_id, p_start + d.n
        FROM generate_series(0, p_end - p_start - 1) AS d (n)
        ORDER BY d.n
        ON CONFLICT DO NOTHING
        RETURNING night)
    UPDATE sandbox.inventory_nights AS n SET capacity = greatest(n.capacity - 1, 0)
    FROM lowered
    WHERE n.room_type_id = room.room_type_id AND n.night = lowered.night;
    UPDATE sandbox.rooms AS r SET version = r.version + 1 WHERE r.room_id = p_room;
    RETURN true;
END
$$;

-- Lock: electronic keys of rooms. The caller chooses the id, so a repetition finds the key. A key that is revoked before it was issued
-- has a row without terms: a late request for it opens nothing.
CREATE TABLE IF NOT EXISTS sandbox.key_credentials (
    key_id         uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL,
    property_id    uuid,
    reservation_id uuid,
    item_id        uuid,
    room_id        uuid,
    valid_from     timestamptz,
    valid_until    timestamptz,
    status         text NOT NULL CHECK (status IN ('issued', 'failed', 'revoked')),
    reason_code    text,
    requested_at   timestamptz, -- when it was issued or failed
    revoked_at     timestamptz,
    CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
    CHECK (status = 'revoked' OR num_nulls(property_id, reservation_id, item_id, room_id, valid_from, valid_until, requested_at) = 0)
);
CREATE INDEX IF NOT EXISTS ix_key_credentials_reservation ON sandbox.key_credentials (reservation_id);

-- IAM: the keys that sign staff tokens of the sandbox. One is current; the earlier ones verify tokens for a day. They belong to no
-- tenant. A production deployment has no sandbox and trusts other keys.
CREATE TABLE IF NOT EXISTS sandbox.staff_keys (
    kid        text PRIMARY KEY,
    seed       bytea NOT NULL CHECK (octet_length(seed) = 32), -- of an Ed25519 key
    created_at timestamptz NOT NULL,
    retired_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS ux_staff_keys_current ON sandbox.staff_keys ((true)) WHERE retired_at IS NULL;

-- Demand: what the search service tells travellers about a hotel, from recent bookings and views.

-- Reservations by hotel. The events of one reservation arrive in any order: a cancellation may come first.
CREATE TABLE IF NOT EXISTS sandbox.recent_bookings (
    reservation_id uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL,
    property_id    uuid NOT NULL,
    confirmed_at   timestamptz,
    cancelled_at   timestamptz,
    CHECK (num_nonnulls(confirmed_at, cancelled_at) > 0)
);

CREATE INDEX IF NOT EXISTS ix_recent_bookings_property ON sandbox.recent_bookings (property_id, confirmed_at);

-- The last view of a hotel by each session. The hash is of the hotel and the session, so it does not link views of two hotels.
CREATE TABLE IF NOT EXISTS sandbox.recent_views (
    property_id  uuid NOT NULL, -- clicks on unknown hotels are dropped before
    session_hash bytea NOT NULL CHECK (length(session_hash) = 32),
    seen_at      timestamptz NOT NULL,
    PRIMARY KEY (property_id, session_hash)
);

CREATE INDEX IF NOT EXISTS ix_recent_views_seen ON sandbox.recent_views (seen_at);

-- What every service has (schemas/postgres/README.md). No row-level security: they serve all tenants in one order.

CREATE TABLE IF NOT EXISTS sandbox.outbox (
    seq             bigint      GENERATED ALWAYS AS IDENTITY, -- the order within a key
    id              uuid        PRIMARY KEY,                  -- the bits of event_id, so one unique index serves both
    event_id        text        NOT NULL,
    tenant_id       uuid,                                     -- NULL: an event of no tenant
    subject         text        NOT NULL,
    ordering_key    text        NOT NULL,
    lane            smallint    NOT NULL GENERATED ALWAYS AS ((hashtextextended(ordering_key, 0) & 63)::smallint) STORED,
    payload         jsonb       NOT NULL,
    envelope        jsonb       NOT NULL,
    occurred_at     timestamptz NOT NULL,
    deferred        boolean     NOT NULL DEFAULT false,       -- left to the relay, which comes every minute
    enqueued_at     timestamptz NOT NULL DEFAULT platform.now(),
    published_at    timestamptz,
    attempts        int         NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,                              -- set by a failure: until then the whole key waits
    last_error      text,
    parked_reason   text,                                     -- set: nobody publishes it until a person decides
    status          text        NOT NULL GENERATED ALWAYS AS (CASE
                        WHEN published_at  IS NOT NULL THEN 'published'
                        WHEN parked_reason IS NOT NULL THEN 'parked'
                        WHEN attempts > 0              THEN 'retrying'
                        ELSE 'pending' END) STORED,
    CHECK (published_at IS NULL OR parked_reason IS NULL)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- What is left to do, in order. A row leaves it when it is marked, so that mark cannot be a heap-only update: for
-- that reason there is no other index on what marking changes, except over the few rows that failed or were parked.
CREATE INDEX IF NOT EXISTS outbox_unpublished ON sandbox.outbox (lane, seq) WHERE published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_failing ON sandbox.outbox (ordering_key, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL;
CREATE INDEX IF NOT EXISTS outbox_parked ON sandbox.outbox (seq) WHERE parked_reason IS NOT NULL;
CREATE INDEX IF NOT EXISTS outbox_published ON sandbox.outbox (ordering_key) WHERE published_at IS NOT NULL; -- all services have the same outbox

-- Whoever holds a lane publishes its rows. Leases go by clock_timestamp(), for they are about processes. Neither column
-- is indexed and half of each page is free: taking and releasing a lane are heap-only updates.
CREATE TABLE IF NOT EXISTS sandbox.outbox_lanes (
    lane         smallint    PRIMARY KEY CHECK (lane BETWEEN 0 AND 63),
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO sandbox.outbox_lanes (lane) SELECT generate_series(0, 63) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS sandbox.inbox_processed (
    event_id     uuid        NOT NULL,
    processor    text        NOT NULL,   -- the function
    subject      text        NOT NULL,
    processed_at timestamptz NOT NULL DEFAULT platform.now(),
    PRIMARY KEY (event_id, processor)
);
CREATE INDEX IF NOT EXISTS inbox_processed_age ON sandbox.inbox_processed USING brin (processed_at); -- for the prune

-- While a tenant is set, its rows are the only ones; without one there are none. The maintenance role may read across tenants, in the columns
-- that it is granted below.

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['tenants', 'tenant_domains', 'properties', 'room_types', 'rate_plans', 'weekday_rates', 'charges', 'promo_codes',
        'intents', 'refunds', 'theme_versions', 'room_texts', 'policies', 'listings', 'listing_rooms', 'listing_rates', 'inventory_nights',
        'allocations', 'rooms', 'room_outages', 'room_nights_out', 'key_credentials', 'recent_bookings'] LOOP
        EXECUTE format('ALTER TABLE sandbox.%I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE sandbox.%I FORCE ROW LEVEL SECURITY', owned);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON sandbox.%I', owned);
        EXECUTE format($policy$CREATE POLICY of_tenant ON sandbox.%I TO sandbox_app
            USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)$policy$, owned);
    END LOOP;
    -- The platform's own routes name a property, an intent, a plan or a room without its tenant, a sweep starts from no tenant, and a search,
    -- a page of prices and a row of brands are of many tenants.
    FOREACH owned IN ARRAY ARRAY['tenants', 'tenant_domains', 'properties', 'room_types', 'rate_plans', 'weekday_rates', 'charges', 'intents',
        'theme_versions', 'listings', 'listing_rooms', 'listing_rates', 'inventory_nights', 'allocations', 'rooms', 'recent_bookings'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS of_any_tenant ON sandbox.%I', owned);
        EXECUTE format('CREATE POLICY of_any_tenant ON sandbox.%I FOR SELECT TO sandbox_maintenance USING (true)', owned);
    END LOOP;
END $$;
DROP POLICY IF EXISTS prune_removes ON sandbox.recent_bookings;
CREATE POLICY prune_removes ON sandbox.recent_bookings FOR DELETE TO sandbox_maintenance USING (true);
DROP POLICY IF EXISTS monitor ON sandbox.intents;
CREATE POLICY monitor ON sandbox.intents FOR SELECT TO pg_monitor USING (status IN ('requires_payment', 'requires_action', 'processing'));

GRANT SELECT, INSERT ON sandbox.tenants, sandbox.tenant_domains, sandbox.properties, sandbox.room_types, sandbox.rate_plans,
    sandbox.weekday_rates, sandbox.charges, sandbox.promo_codes, sandbox.fx_snapshots, sandbox.cities, sandbox.popularity, sandbox.theme_versions,
    sandbox.room_texts, sandbox.policies, sandbox.room_outages, sandbox.room_nights_out, sandbox.refunds TO sandbox_app;
GRANT UPDATE (status, brand_name, brand_tagline, brand_localized, currencies, locales, payment_methods, config_version, hold_ttl_seconds,
    no_show_grace_hours, cancellation_policy_version, version) ON sandbox.tenants TO sandbox_app;
GRANT UPDATE (city_id, property_type, neighbourhood, neighbourhood_key, amenities, badges, rating, rating_count, check_in_from, check_out_until)
    ON sandbox.properties TO sandbox_app;
GRANT UPDATE (version) ON sandbox.rate_plans TO sandbox_app;
GRANT UPDATE (amount_micro) ON sandbox.weekday_rates TO sandbox_app;
GRANT UPDATE (clicks) ON sandbox.popularity TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (status, attempts, return_url, captured_micro, refunded_micro, captured_at, captured_event_id, failure_code, version)
    ON sandbox.intents TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (capacity, taken, counted_at, next_lapse) ON sandbox.inventory_nights TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (state, committed_at, released_at) ON sandbox.allocations TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (version) ON sandbox.rooms TO sandbox_app;
GRANT SELECT, INSERT, UPDATE ON sandbox.listings, sandbox.listing_rooms, sandbox.listing_rates, sandbox.key_credentials,
    sandbox.recent_bookings, sandbox.recent_views TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (retired_at), DELETE ON sandbox.staff_keys TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (published_at, attempts, next_attempt_at, last_error, parked_reason) ON sandbox.outbox TO sandbox_app;
GRANT SELECT, UPDATE (holder, leased_until) ON sandbox.outbox_lanes TO sandbox_app;
GRANT SELECT, INSERT ON sandbox.inbox_processed TO sandbox_app;

GRANT SELECT (tenant_id, slug, status, currency, brand_name, brand_localized) ON sandbox.tenants TO sandbox_maintenance;
GRANT SELECT (tenant_id, domain) ON sandbox.tenant_domains TO sandbox_maintenance;
GRANT SELECT (tenant_id, property_id, time_zone) ON sandbox.properties TO sandbox_maintenance;
GRANT SELECT (tenant_id, property_id, room_type_id, name, max_occupancy) ON sandbox.room_types TO sandbox_maintenance;
GRANT SELECT (tenant_id, rate_plan_id, property_id, room_type_id, name, meal_plan, cancellation_ref, free_until_hours_before, penalty_percent,
    cancellation_description, penalty_nights, no_show_percent, no_show_nights) ON sandbox.rate_plans TO sandbox_maintenance;
GRANT SELECT (tenant_id, intent_id, status, expires_at) ON sandbox.intents TO sandbox_maintenance;
GRANT SELECT (tenant_id, room_type_id, night, capacity, taken, counted_at, next_lapse) ON sandbox.inventory_nights TO sandbox_maintenance;
GRANT SELECT (tenant_id, allocation_id, room_type_id, starts_on, ends_on, units, state, expires_at) ON sandbox.allocations TO sandbox_maintenance;
GRANT SELECT (tenant_id, property_id, room_id) ON sandbox.rooms TO sandbox_maintenance;
GRANT SELECT ON sandbox.cities, sandbox.popularity, sandbox.listings, sandbox.listing_rooms, sandbox.listing_rates, sandbox.fx_snapshots,
    sandbox.charges, sandbox.weekday_rates, sandbox.theme_versions TO sandbox_maintenance;
GRANT SELECT, DELETE ON sandbox.recent_bookings, sandbox.recent_views, sandbox.outbox, sandbox.inbox_processed TO sandbox_maintenance;

-- The job database reports the backlog. Its login may assume pg_monitor, which may read these times, lanes and states, and no other
-- columns.
GRANT USAGE ON SCHEMA sandbox TO pg_monitor;
GRANT SELECT (lane, enqueued_at, published_at, next_attempt_at, parked_reason) ON sandbox.outbox TO pg_monitor;
GRANT SELECT (processed_at) ON sandbox.inbox_processed TO pg_monitor;
GRANT SELECT (status, expires_at) ON sandbox.intents TO pg_monitor;
