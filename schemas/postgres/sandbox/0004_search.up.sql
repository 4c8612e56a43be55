-- search: one index over the hotels of all tenants. What is searched by stands in narrow columns beside what is shown; what
-- changes by the minute (rooms, clicks, a tenant's standing) is asked where it is kept, so that no answer is stale. Re-runnable.

-- The platform's own tables, the same for every tenant: where hotels are, and what their guests look at.
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

ALTER TABLE sandbox.tenants
    ADD COLUMN IF NOT EXISTS brand_localized jsonb NOT NULL DEFAULT '{}';
ALTER TABLE sandbox.properties
    ADD COLUMN IF NOT EXISTS city_id         text REFERENCES sandbox.cities,   -- NULL: nobody has looked it up, and no search finds it
    ADD COLUMN IF NOT EXISTS property_type   text NOT NULL DEFAULT 'hotel' CHECK (property_type IN ('hotel', 'guesthouse', 'hostel', 'apartment')),
    ADD COLUMN IF NOT EXISTS neighbourhood   text NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS neighbourhood_key text NOT NULL DEFAULT '', -- folded as what people type is
    ADD COLUMN IF NOT EXISTS amenities       text[] NOT NULL DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS badges          text[] NOT NULL DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS rating          numeric(2, 1) NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
    ADD COLUMN IF NOT EXISTS rating_count    int NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
    ADD COLUMN IF NOT EXISTS check_in_from   time NOT NULL DEFAULT '14:00',
    ADD COLUMN IF NOT EXISTS check_out_until time NOT NULL DEFAULT '12:00';

-- A night belongs to its room type, which belongs to a property and a tenant. To look up all three for each of 400 nights was
-- what putting a hotel on sale took its time for.
ALTER TABLE sandbox.inventory_nights
    DROP CONSTRAINT IF EXISTS inventory_nights_tenant_id_fkey,
    DROP CONSTRAINT IF EXISTS inventory_nights_property_id_fkey;

CREATE INDEX IF NOT EXISTS ix_properties_tenant ON sandbox.properties (tenant_id);
CREATE INDEX IF NOT EXISTS ix_tenant_domains_tenant ON sandbox.tenant_domains (tenant_id);
CREATE INDEX IF NOT EXISTS ix_room_types_property ON sandbox.room_types (property_id);
CREATE INDEX IF NOT EXISTS ix_rate_plans_property ON sandbox.rate_plans (property_id);
CREATE INDEX IF NOT EXISTS ix_policies_tenant ON sandbox.policies (tenant_id);

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
    indexed_at        timestamptz NOT NULL
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

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['listings', 'listing_rooms', 'listing_rates'] LOOP
        EXECUTE format('ALTER TABLE sandbox.%I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE sandbox.%I FORCE ROW LEVEL SECURITY', owned);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON sandbox.%I', owned);
        EXECUTE format($policy$CREATE POLICY of_tenant ON sandbox.%I TO sandbox_app
            USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)$policy$, owned);
    END LOOP;
    -- A search, a page of prices and a row of brands are of many tenants: the maintenance role reads them in one statement.
    FOREACH owned IN ARRAY ARRAY['listings', 'listing_rooms', 'listing_rates', 'room_types', 'inventory_nights', 'allocations', 'weekday_rates',
        'charges', 'theme_versions'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS of_any_tenant ON sandbox.%I', owned);
        EXECUTE format('CREATE POLICY of_any_tenant ON sandbox.%I FOR SELECT TO sandbox_maintenance USING (true)', owned);
    END LOOP;
END $$;

GRANT SELECT, INSERT ON sandbox.cities, sandbox.popularity TO sandbox_app;
GRANT UPDATE (clicks) ON sandbox.popularity TO sandbox_app;
GRANT SELECT, INSERT, UPDATE ON sandbox.listings, sandbox.listing_rooms, sandbox.listing_rates TO sandbox_app;
GRANT UPDATE (brand_localized) ON sandbox.tenants TO sandbox_app;
GRANT UPDATE (city_id, property_type, neighbourhood, neighbourhood_key, amenities, badges, rating, rating_count, check_in_from, check_out_until)
    ON sandbox.properties TO sandbox_app;
GRANT SELECT ON sandbox.cities, sandbox.popularity, sandbox.listings, sandbox.listing_rooms, sandbox.listing_rates, sandbox.fx_snapshots, sandbox.charges,
    sandbox.weekday_rates, sandbox.theme_versions TO sandbox_maintenance;
GRANT SELECT (status, currency, brand_name, brand_localized) ON sandbox.tenants TO sandbox_maintenance;
GRANT SELECT (time_zone) ON sandbox.properties TO sandbox_maintenance;
GRANT SELECT (tenant_id, property_id, room_type_id, name, max_occupancy) ON sandbox.room_types TO sandbox_maintenance;
GRANT SELECT (tenant_id, property_id, room_type_id, name, meal_plan, cancellation_ref, free_until_hours_before, penalty_percent,
    cancellation_description) ON sandbox.rate_plans TO sandbox_maintenance;
GRANT SELECT (tenant_id, room_type_id, night, capacity) ON sandbox.inventory_nights TO sandbox_maintenance;
GRANT SELECT (tenant_id, allocation_id, room_type_id, starts_on, ends_on, units, state, expires_at) ON sandbox.allocations TO sandbox_maintenance;
