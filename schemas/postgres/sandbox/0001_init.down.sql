-- The roles stay: they belong to the cluster, and another database may use them.
DROP TABLE IF EXISTS sandbox.inbox_processed, sandbox.outbox_lanes, sandbox.outbox, sandbox.recent_views, sandbox.recent_bookings,
    sandbox.staff_keys, sandbox.key_credentials, sandbox.room_nights_out, sandbox.room_outages, sandbox.rooms, sandbox.allocations,
    sandbox.inventory_nights, sandbox.popularity, sandbox.listing_rates, sandbox.listing_rooms, sandbox.listings, sandbox.policies,
    sandbox.room_texts, sandbox.theme_versions, sandbox.refunds, sandbox.intents, sandbox.fx_snapshots, sandbox.promo_codes, sandbox.charges,
    sandbox.weekday_rates, sandbox.rate_plans, sandbox.room_types, sandbox.properties, sandbox.cities, sandbox.tenant_domains, sandbox.tenants;
DROP FUNCTION IF EXISTS sandbox.take_room_out, sandbox.reallocate_rooms, sandbox.recall_reallocation, sandbox.release_rooms,
    sandbox.commit_rooms, sandbox.hold_rooms, sandbox.lock_stays, sandbox.recall_hold, sandbox.lock_nights_of, sandbox.lock_nights,
    sandbox.units_left, sandbox.count_taken, sandbox.stands, sandbox.takes, sandbox.h3_parent, sandbox.km;
DROP EXTENSION IF EXISTS fuzzystrmatch;
REVOKE USAGE ON SCHEMA sandbox FROM pg_monitor;
