-- inventory: which rooms are whose, night by night. Whoever wants a room, or wants to keep one, takes the row locks of
-- its nights in one order, and only then reads the clock and counts. So two takers of one night never decide at the same
-- time, an expired hold cannot be committed after its rooms went to another, and nobody waits in a circle. Re-runnable.

-- How many rooms of a type are on sale on a night. No row: none.
CREATE TABLE IF NOT EXISTS sandbox.inventory_nights (
    tenant_id    uuid NOT NULL REFERENCES sandbox.tenants,
    property_id  uuid NOT NULL REFERENCES sandbox.properties,
    room_type_id uuid NOT NULL REFERENCES sandbox.room_types,
    night        date NOT NULL,
    capacity     int NOT NULL CHECK (capacity >= 0),
    PRIMARY KEY (room_type_id, night)
);

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
CREATE INDEX IF NOT EXISTS ix_allocations_reservation ON sandbox.allocations (reservation_id);

-- Whether an allocation takes its rooms from others at a moment. The one definition.
CREATE OR REPLACE FUNCTION sandbox.takes(state text, expires_at timestamptz, at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT state = 'committed' OR (state = 'held' AND expires_at > at) $$;

-- What is left of each room type on its fullest night of a stay. It decides nothing without the locks of hold_rooms.
CREATE OR REPLACE FUNCTION sandbox.units_left(p_room_types uuid[], p_start date, p_end date, p_at timestamptz)
RETURNS TABLE (room_type_id uuid, units_left int)
LANGUAGE sql STABLE
AS $$
    WITH taking AS MATERIALIZED ( -- read once for all nights
        SELECT a.room_type_id, a.starts_on, a.ends_on, a.units
        FROM sandbox.allocations AS a
        WHERE a.room_type_id = ANY (p_room_types) AND a.state IN ('held', 'committed')
          AND a.ends_on > p_start AND a.ends_on < p_end + 366 -- longest_stay bounds the look
          AND a.starts_on < p_end
          AND sandbox.takes(a.state, a.expires_at, p_at))
    SELECT r.room_type_id,
           CASE WHEN count(n.night) < p_end - p_start THEN 0
                ELSE greatest(0, min(n.capacity - taken.units)) END::int
    FROM (SELECT DISTINCT u.room_type_id FROM unnest(p_room_types) AS u (room_type_id)) AS r
    LEFT JOIN sandbox.inventory_nights AS n
        ON n.room_type_id = r.room_type_id AND n.night >= p_start AND n.night < p_end
    LEFT JOIN LATERAL (
        SELECT coalesce(sum(t.units), 0) AS units
        FROM taking AS t
        WHERE t.room_type_id = n.room_type_id AND t.starts_on <= n.night AND t.ends_on > n.night) AS taken ON true
    GROUP BY r.room_type_id
$$;

-- Whether a request, summed up per room type, does not fit any more.
CREATE OR REPLACE FUNCTION sandbox.sold_out(p_room_types uuid[], p_units int[], p_start date, p_end date, p_at timestamptz)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM sandbox.units_left(p_room_types, p_start, p_end, p_at) AS l
        JOIN (SELECT w.room_type_id, sum(w.units) AS units
              FROM unnest(p_room_types, p_units) AS w (room_type_id, units)
              GROUP BY w.room_type_id) AS wanted USING (room_type_id)
        WHERE l.units_left < wanted.units);
END
$$;

-- What became of a hold that was asked for before: held, over, refused; mismatch if it was another hold, NULL if none.
-- In PL/pgSQL, which keeps its plans: a function in SQL that is not inlined is planned anew at each call.
CREATE OR REPLACE FUNCTION sandbox.recall_hold(
    p_property uuid, p_reservation uuid, p_start date, p_end date, p_allocations uuid[], p_room_types uuid[], p_units int[],
    OUT outcome text, OUT placed_at timestamptz, OUT expires_at timestamptz)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM sandbox.allocations AS a WHERE a.allocation_id = ANY (p_allocations)) THEN
        RETURN; -- most are asked for once
    END IF;
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

-- hold_rooms takes all the rooms of a request or none, and remembers either under the request's allocation ids.
-- outcome: held, refused, over (held once, lapsed or released since), mismatch, unknown (a room type of another house).
-- fresh tells the one call that decided from its repeats.
CREATE OR REPLACE FUNCTION sandbox.hold_rooms(
    p_tenant uuid, p_property uuid, p_reservation uuid, p_start date, p_end date, p_ttl interval,
    p_allocations uuid[], p_room_types uuid[], p_units int[],
    OUT outcome text, OUT placed_at timestamptz, OUT expires_at timestamptz, OUT fresh boolean)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan -- planning for each call's own arrays takes longer than all the rest
AS $$
DECLARE
    inserted int;
BEGIN
    fresh := false;
    SELECT h.outcome, h.placed_at, h.expires_at INTO outcome, placed_at, expires_at
    FROM sandbox.recall_hold(p_property, p_reservation, p_start, p_end, p_allocations, p_room_types, p_units) AS h;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM unnest(p_room_types) AS w (room_type_id) WHERE NOT EXISTS (
            SELECT FROM sandbox.room_types AS t
            WHERE t.room_type_id = w.room_type_id AND t.property_id = p_property AND t.tenant_id = p_tenant)) THEN
        outcome := 'unknown';
        RETURN;
    END IF;

    -- On a hot night most are refused: that needs no lock, since a full house at any moment may be told so.
    placed_at := platform.now();
    IF NOT sandbox.sold_out(p_room_types, p_units, p_start, p_end, placed_at) THEN
        PERFORM FROM sandbox.inventory_nights AS n
        WHERE n.room_type_id = ANY (p_room_types) AND n.night >= p_start AND n.night < p_end
        ORDER BY n.room_type_id, n.night
        FOR NO KEY UPDATE;
        placed_at := platform.now(); -- after the locks: an earlier reading could find a lapsed hold alive, or the reverse
        IF NOT sandbox.sold_out(p_room_types, p_units, p_start, p_end, placed_at) THEN
            outcome := 'held';
        END IF;
    END IF;
    outcome := coalesce(outcome, 'refused');
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
        RETURN;
    END IF;
    IF inserted > 0 THEN -- some of the ids belong to another hold: nothing of this one may stay
        RAISE EXCEPTION 'allocation ids of different holds' USING ERRCODE = 'unique_violation', CONSTRAINT = 'allocations_pkey';
    END IF;
    -- The same request ran beside this one and was first. What it decided is the answer.
    SELECT coalesce(h.outcome, 'mismatch'), h.placed_at, h.expires_at INTO outcome, placed_at, expires_at
    FROM sandbox.recall_hold(p_property, p_reservation, p_start, p_end, p_allocations, p_room_types, p_units) AS h;
END
$$;

-- commit_rooms keeps what is held for good: all of it or nothing.
-- outcome: committed, over (something lapsed, was released or was never given), unknown (no such allocation).
CREATE OR REPLACE FUNCTION sandbox.commit_rooms(p_allocations uuid[], OUT outcome text, OUT committed_at timestamptz)
LANGUAGE plpgsql
AS $$
DECLARE
    at timestamptz;
BEGIN
    PERFORM FROM sandbox.inventory_nights AS n
    WHERE (n.room_type_id, n.night) IN (
        SELECT a.room_type_id, d::date
        FROM sandbox.allocations AS a, generate_series(a.starts_on, a.ends_on - 1, interval '1 day') AS d
        WHERE a.allocation_id = ANY (p_allocations))
    ORDER BY n.room_type_id, n.night
    FOR NO KEY UPDATE;
    PERFORM FROM sandbox.allocations AS a
    WHERE a.allocation_id = ANY (p_allocations)
    ORDER BY a.allocation_id
    FOR NO KEY UPDATE; -- a release does not take the nights
    at := platform.now(); -- after the locks: whoever was given these rooms because the hold was over, was given them before

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

DO $$
DECLARE
    owned text;
BEGIN
    FOREACH owned IN ARRAY ARRAY['inventory_nights', 'allocations'] LOOP
        EXECUTE format('ALTER TABLE sandbox.%I ENABLE ROW LEVEL SECURITY', owned);
        EXECUTE format('ALTER TABLE sandbox.%I FORCE ROW LEVEL SECURITY', owned);
        EXECUTE format('DROP POLICY IF EXISTS of_tenant ON sandbox.%I', owned);
        EXECUTE format($policy$CREATE POLICY of_tenant ON sandbox.%I TO sandbox_app
            USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)
            WITH CHECK (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid)$policy$, owned);
    END LOOP;
END $$;

-- UPDATE on a night is the right to lock it; nobody changes what is on sale.
GRANT SELECT, INSERT, UPDATE (capacity) ON sandbox.inventory_nights TO sandbox_app;
GRANT SELECT, INSERT, UPDATE (state, committed_at, released_at) ON sandbox.allocations TO sandbox_app;
