DROP TABLE IF EXISTS sandbox.popularity, sandbox.listing_rates, sandbox.listing_rooms, sandbox.listings;
DROP FUNCTION IF EXISTS sandbox.km(point, point);
DROP INDEX IF EXISTS sandbox.ix_policies_tenant, sandbox.ix_rate_plans_property, sandbox.ix_room_types_property,
    sandbox.ix_tenant_domains_tenant, sandbox.ix_properties_tenant;
ALTER TABLE sandbox.properties
    DROP COLUMN IF EXISTS city_id, DROP COLUMN IF EXISTS property_type, DROP COLUMN IF EXISTS neighbourhood, DROP COLUMN IF EXISTS neighbourhood_key,
    DROP COLUMN IF EXISTS amenities, DROP COLUMN IF EXISTS badges, DROP COLUMN IF EXISTS rating, DROP COLUMN IF EXISTS rating_count,
    DROP COLUMN IF EXISTS check_in_from, DROP COLUMN IF EXISTS check_out_until;
ALTER TABLE sandbox.tenants DROP COLUMN IF EXISTS brand_localized;
DROP TABLE IF EXISTS sandbox.cities;
ALTER TABLE sandbox.inventory_nights
    DROP CONSTRAINT IF EXISTS inventory_nights_tenant_id_fkey,
    DROP CONSTRAINT IF EXISTS inventory_nights_property_id_fkey;
ALTER TABLE sandbox.inventory_nights
    ADD CONSTRAINT inventory_nights_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sandbox.tenants,
    ADD CONSTRAINT inventory_nights_property_id_fkey FOREIGN KEY (property_id) REFERENCES sandbox.properties;
DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['room_types', 'inventory_nights', 'allocations', 'weekday_rates', 'charges', 'theme_versions'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS of_any_tenant ON sandbox.%I', owned);
    END LOOP;
END $$;
REVOKE SELECT ON sandbox.fx_snapshots, sandbox.charges, sandbox.weekday_rates, sandbox.theme_versions FROM sandbox_maintenance;
REVOKE SELECT (status, currency, brand_name) ON sandbox.tenants FROM sandbox_maintenance;
REVOKE SELECT (time_zone) ON sandbox.properties FROM sandbox_maintenance;
REVOKE SELECT (tenant_id, property_id, room_type_id, name, max_occupancy) ON sandbox.room_types FROM sandbox_maintenance;
REVOKE SELECT (property_id, room_type_id, name, meal_plan, cancellation_ref, free_until_hours_before, penalty_percent,
    cancellation_description) ON sandbox.rate_plans FROM sandbox_maintenance; -- tenant_id and rate_plan_id are 0003's
REVOKE SELECT (tenant_id, room_type_id, night, capacity) ON sandbox.inventory_nights FROM sandbox_maintenance;
REVOKE SELECT (tenant_id, allocation_id, room_type_id, starts_on, ends_on, units, state, expires_at) ON sandbox.allocations FROM sandbox_maintenance;
