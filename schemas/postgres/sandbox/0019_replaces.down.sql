DROP FUNCTION IF EXISTS sandbox.hold_rooms(uuid, uuid, uuid, date, date, interval, uuid[], uuid[], int[], uuid[]);

-- As it was.

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
    types    uuid[] := p_room_types; -- that are wanted, each once
    wanted   int[]  := p_units;      -- so many of each
    nights   int;                    -- that are on sale
    short    boolean;                -- one of them has not so many left
    locked   boolean := false;
    inserted int;
BEGIN
    fresh := false;
    IF EXISTS (SELECT FROM sandbox.allocations AS a WHERE a.allocation_id = ANY (p_allocations)) THEN -- most are asked for once
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

    -- On a hot night most are refused: that needs no lock, since a full house at any moment may be told so. Where a count does not
    -- stand nobody knows, but whoever has the locks.
    placed_at := platform.now();
    LOOP
        SELECT count(*), coalesce(bool_or(n.capacity - n.taken < wanted[array_position(types, n.room_type_id)]
            AND sandbox.stands(n.counted_at, n.next_lapse, hold_rooms.placed_at)), false)
        INTO nights, short
        FROM sandbox.inventory_nights AS n
        WHERE n.room_type_id = ANY (types) AND n.night >= p_start AND n.night < p_end AND n.property_id = p_property;
        IF nights < cardinality(types) * (p_end - p_start) THEN
            short := true;
            IF (SELECT count(*) FROM sandbox.room_types AS t
                WHERE t.room_type_id = ANY (types) AND t.property_id = p_property AND t.tenant_id = p_tenant) < cardinality(types) THEN
                outcome := 'unknown';
                RETURN;
            END IF;
        END IF;
        EXIT WHEN short OR locked;
        placed_at := sandbox.lock_nights(types, p_start, p_end);
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
        RETURN;
    END IF;
    IF inserted > 0 THEN -- some of the ids belong to another hold: nothing of this one may stay
        RAISE EXCEPTION 'allocation ids of different holds' USING ERRCODE = 'unique_violation', CONSTRAINT = 'allocations_pkey';
    END IF;
    -- The same request ran beside this one and was first. What it decided is the answer.
    SELECT h.outcome, h.placed_at, h.expires_at INTO outcome, placed_at, expires_at
    FROM sandbox.recall_hold(p_property, p_reservation, p_start, p_end, p_allocations, p_room_types, p_units) AS h;
END
$$;
