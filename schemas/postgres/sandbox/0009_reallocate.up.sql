-- inventory: a reservation exchanges rooms in one decision, for example to extend its stay in a full house. Like every decision about
-- rooms it first locks the nights, in the one order of all functions. Re-runnable.

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
