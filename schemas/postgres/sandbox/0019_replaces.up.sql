-- inventory: a hold may replace held rooms, so that the last room passes to a longer stay without becoming free in between. The previous
-- version of the code calls hold_rooms without p_replaces. Re-runnable.
DROP FUNCTION IF EXISTS sandbox.hold_rooms(uuid, uuid, uuid, date, date, interval, uuid[], uuid[], int[]);

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
