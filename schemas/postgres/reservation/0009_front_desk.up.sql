-- What the front desk needs: assigned rooms, keys, check-in and check-out, changes of a booking, several payments and the saga step that a
-- reservation waits for. Older code keeps running: it reads and writes none of these columns. Re-runnable.
ALTER TABLE reservation.reservations
    ADD COLUMN IF NOT EXISTS step_since      timestamptz,                  -- NULL: no step, or written by older code
    ADD COLUMN IF NOT EXISTS step_attempts   int         NOT NULL DEFAULT 0 CHECK (step_attempts >= 0),
    ADD COLUMN IF NOT EXISTS step_plan       jsonb,                        -- the change that takes effect when the step succeeds
    ADD COLUMN IF NOT EXISTS payments        jsonb,                        -- one entry per intent; NULL: only payment_intent_id, if any
    ADD COLUMN IF NOT EXISTS refund_requests jsonb,
    ADD COLUMN IF NOT EXISTS keys            jsonb,
    ADD COLUMN IF NOT EXISTS check_in        jsonb,
    ADD COLUMN IF NOT EXISTS check_out       jsonb,
    ADD COLUMN IF NOT EXISTS no_show         jsonb,
    ADD COLUMN IF NOT EXISTS spared_until    timestamptz,                  -- a reinstated guest is no no-show before
    ADD COLUMN IF NOT EXISTS overstayed_on   date;                         -- the last night that was published as overstayed

-- A change of dates or rooms can leave an amount due, and a refund can leave less than the price.
ALTER TABLE reservation.reservations DROP CONSTRAINT IF EXISTS reservations_paid;
ALTER TABLE reservation.reservations ADD CONSTRAINT reservations_paid CHECK (state IN ('held', 'expired_hold', 'cancelled') OR
    (payment_status = 'captured' AND payment_intent_id IS NOT NULL AND capture_event_id IS NOT NULL) OR
    (payment_status = 'pending_cash' AND payment_intent_id IS NOT NULL));
ALTER TABLE reservation.reservations DROP CONSTRAINT IF EXISTS reservations_pending_step_check;
ALTER TABLE reservation.reservations ADD CONSTRAINT reservations_pending_step_check CHECK (pending_step IN
    ('', 'await_inventory', 'await_payment', 'await_keys', 'await_reallocation', 'await_release'));

-- The sweeps list candidates of all tenants in these orders.
CREATE INDEX IF NOT EXISTS reservations_awaited ON reservation.reservations (stay_start, reservation_id) WHERE state = 'confirmed';
CREATE INDEX IF NOT EXISTS reservations_leaving ON reservation.reservations (stay_end, reservation_id) WHERE state IN ('checked_in', 'checkout_started');
CREATE INDEX IF NOT EXISTS reservations_step ON reservation.reservations (step_since, reservation_id) WHERE step_since IS NOT NULL;

ALTER TABLE reservation.reservation_items
    ADD COLUMN IF NOT EXISTS room_id    uuid,        -- the physical room, once assigned
    ADD COLUMN IF NOT EXISTS free_until timestamptz; -- set by a change of dates: the earlier of the old and the new deadline
GRANT UPDATE, DELETE ON reservation.reservation_items TO reservation_app;

-- Changes of a booked reservation, append-only.
CREATE TABLE IF NOT EXISTS reservation.modifications (
    modification_id    uuid        PRIMARY KEY,
    tenant_id          uuid        NOT NULL,
    reservation_id     uuid        NOT NULL,
    version            int         NOT NULL, -- of the reservation after the change
    type               text        NOT NULL CHECK (type IN ('date_change', 'room_change', 'room_added', 'room_removed', 'guest_count_change',
                           'rate_change', 'guest_profile_update', 'channel_attribution_corrected', 'manual_state_override')),
    before             jsonb       NOT NULL,
    after              jsonb       NOT NULL,
    policy_applied_ref text        NOT NULL,
    price_delta_micro  bigint,
    request            jsonb,                -- the refund or charge that followed
    actor              jsonb       NOT NULL,
    occurred_at        timestamptz NOT NULL,
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS modifications_reservation ON reservation.modifications (tenant_id, reservation_id, version);

-- One guest per room and night.
CREATE TABLE IF NOT EXISTS reservation.room_nights (
    tenant_id      uuid NOT NULL,
    room_id        uuid NOT NULL,
    night          date NOT NULL,
    reservation_id uuid NOT NULL,
    item_id        uuid NOT NULL,
    PRIMARY KEY (tenant_id, room_id, night),
    FOREIGN KEY (tenant_id, reservation_id) REFERENCES reservation.reservations (tenant_id, reservation_id)
);
CREATE INDEX IF NOT EXISTS room_nights_reservation ON reservation.room_nights (tenant_id, reservation_id);

-- Rooms that cannot be used, as the property service published them.
CREATE TABLE IF NOT EXISTS reservation.rooms_out_of_order (
    tenant_id   uuid        NOT NULL,
    property_id uuid        NOT NULL,
    room_id     uuid        NOT NULL,
    from_date   date        NOT NULL,
    until_date  date        NOT NULL,
    since       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, room_id, from_date, until_date),
    CHECK (from_date < until_date)
);
CREATE INDEX IF NOT EXISTS rooms_out_of_order_property ON reservation.rooms_out_of_order (tenant_id, property_id);

-- The latest settings of each tenant, as the tenant service published them.
CREATE TABLE IF NOT EXISTS reservation.tenant_settings (
    tenant_id                   uuid        PRIMARY KEY,
    hold_ttl_seconds            int         NOT NULL,
    cancellation_policy_version int         NOT NULL,
    no_show_grace_hours         int         NOT NULL,
    changed_at                  timestamptz NOT NULL
);

DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['modifications', 'room_nights', 'rooms_out_of_order', 'tenant_settings'] LOOP
        EXECUTE format('ALTER TABLE reservation.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('DROP POLICY IF EXISTS tenant_isolation ON reservation.%I', t);
        EXECUTE format('CREATE POLICY tenant_isolation ON reservation.%I TO reservation_app
            USING (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting(''app.tenant_id'', true), '''')::uuid)', t);
    END LOOP;
END $$;
GRANT SELECT, INSERT ON reservation.modifications TO reservation_app;
GRANT SELECT, INSERT, DELETE ON reservation.room_nights TO reservation_app;
GRANT SELECT, INSERT, UPDATE ON reservation.rooms_out_of_order, reservation.tenant_settings TO reservation_app;

-- The sweeps list candidates as the maintenance role and act inside each tenant as the application.
DROP POLICY IF EXISTS sweep ON reservation.reservations;
CREATE POLICY sweep ON reservation.reservations FOR SELECT TO reservation_maintenance
    USING (state IN ('confirmed', 'checked_in', 'checkout_started') OR step_since IS NOT NULL);
GRANT SELECT (tenant_id, reservation_id, state, stay_start, stay_end, step_since, step_attempts) ON reservation.reservations TO reservation_maintenance;
