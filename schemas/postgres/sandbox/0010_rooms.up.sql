-- property: physical rooms, and the periods in which they are out of order. Such a room lowers the capacity of its room type for these
-- nights, so that inventory does not sell it. Re-runnable.

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

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['rooms', 'room_outages', 'room_nights_out'] LOOP
        EXECUTE format('ALTER TABLE sandbox.%I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE sandbox.%I FORCE ROW LEVEL SECURITY', owned);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON sandbox.%I', owned);
        EXECUTE format($policy$CREATE POLICY of_tenant ON sandbox.%I TO sandbox_app
            USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)$policy$, owned);
    END LOOP;
    DROP POLICY IF EXISTS of_any_tenant ON sandbox.rooms;
    CREATE POLICY of_any_tenant ON sandbox.rooms FOR SELECT TO sandbox_maintenance USING (true); -- a route names a room without its tenant
END $$;

GRANT SELECT, INSERT, UPDATE (version) ON sandbox.rooms TO sandbox_app;
GRANT SELECT, INSERT ON sandbox.room_outages, sandbox.room_nights_out TO sandbox_app;
GRANT SELECT (tenant_id, property_id, room_id) ON sandbox.rooms TO sandbox_maintenance;
GRANT UPDATE (capacity) ON sandbox.inventory_nights TO sandbox_app;
