-- inventory: a night knows how many of its rooms are taken, so that holding rooms need not count allocations. Whoever wants a room,
-- keeps one or gives one back takes the row locks of its nights in one order, and only then reads the clock and what is taken. So two
-- takers of one night never decide at the same time, an expired hold cannot be committed after its rooms went to another, and
-- nobody waits in a circle. Re-runnable.

-- Holds end by the clock, without a write, so the books say for how long their count stands: sandbox.stands. That of nights which
-- were there before does not stand yet. Half of each page is free for heap-only updates.
ALTER TABLE sandbox.inventory_nights
    ADD COLUMN IF NOT EXISTS taken      int         NOT NULL DEFAULT 0 CHECK (taken >= 0), -- by the allocations that take rooms at counted_at
    ADD COLUMN IF NOT EXISTS counted_at timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN IF NOT EXISTS next_lapse timestamptz NOT NULL DEFAULT '-infinity',          -- none of the holds in taken ends before
    SET (fillfactor = 50);
ALTER TABLE sandbox.inventory_nights ALTER COLUMN next_lapse SET DEFAULT 'infinity'; -- of a new night nothing is taken

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

-- Whether one of the nights, by what it counts, has not so many rooms left as are wanted of each room type, or is not on sale. Where
-- a count does not stand nobody knows.
CREATE OR REPLACE FUNCTION sandbox.sold_out(
    p_property uuid, p_room_types uuid[], p_units int[], p_start date, p_end date, p_at timestamptz)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT count(*) < cardinality(p_room_types) * (p_end - p_start) OR bool_or(
            n.capacity - n.taken < p_units[array_position(p_room_types, n.room_type_id)] AND sandbox.stands(n.counted_at, n.next_lapse, p_at))
        FROM sandbox.inventory_nights AS n
        WHERE n.room_type_id = ANY (p_room_types) AND n.night >= p_start AND n.night < p_end AND n.property_id = p_property);
END
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
    types    uuid[]; -- that are wanted, each once
    wanted   int[];  -- so many of each
    inserted int;
BEGIN
    fresh := false;
    IF EXISTS (SELECT FROM sandbox.allocations AS a WHERE a.allocation_id = ANY (p_allocations)) THEN -- most are asked for once
        SELECT h.outcome, h.placed_at, h.expires_at INTO outcome, placed_at, expires_at
        FROM sandbox.recall_hold(p_property, p_reservation, p_start, p_end, p_allocations, p_room_types, p_units) AS h;
        RETURN;
    END IF;
    SELECT array_agg(w.room_type_id), array_agg(w.units) INTO types, wanted
    FROM (SELECT w.room_type_id, sum(w.units)::int AS units
          FROM unnest(p_room_types, p_units) AS w (room_type_id, units)
          GROUP BY w.room_type_id) AS w;

    -- On a hot night most are refused: that needs no lock, since a full house at any moment may be told so.
    placed_at := platform.now();
    outcome := 'refused';
    IF NOT sandbox.sold_out(p_property, types, wanted, p_start, p_end, placed_at) THEN
        placed_at := sandbox.lock_nights(types, p_start, p_end);
        IF NOT sandbox.sold_out(p_property, types, wanted, p_start, p_end, placed_at) THEN
            outcome := 'held';
        END IF;
    ELSIF (SELECT count(*) FROM sandbox.room_types AS t
           WHERE t.room_type_id = ANY (types) AND t.property_id = p_property AND t.tenant_id = p_tenant) < cardinality(types) THEN
        outcome := 'unknown';
        RETURN;
    END IF;
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

DROP FUNCTION IF EXISTS sandbox.sold_out(uuid[], int[], date, date, timestamptz);

REVOKE UPDATE (capacity) ON sandbox.inventory_nights FROM sandbox_app;
GRANT UPDATE (taken, counted_at, next_lapse) ON sandbox.inventory_nights TO sandbox_app;
GRANT SELECT (taken, counted_at, next_lapse) ON sandbox.inventory_nights TO sandbox_maintenance;
