-- Check-in per room: when the guests of each room arrived, and how many rooms are still expected while others are in the house. A check-in by
-- the previous version of the code is of all rooms: it records no arrival and leaves the number 0. Re-runnable.
-- It locks the table of reservations until its end, for which it reads all of them: acceptable because it runs before the first deployment.

ALTER TABLE reservation.reservation_items ADD COLUMN IF NOT EXISTS arrived_at timestamptz;
ALTER TABLE reservation.reservations ADD COLUMN IF NOT EXISTS expected_rooms int NOT NULL DEFAULT 0 CHECK (expected_rooms >= 0);

-- The arrivals of the front desk and the sweep of no-shows list both kinds of expected guests.
CREATE INDEX IF NOT EXISTS reservations_expected ON reservation.reservations (tenant_id, property_id, stay_start, reservation_id)
    WHERE state = 'confirmed' OR state IN ('check_in_started', 'checked_in') AND expected_rooms > 0;
CREATE INDEX IF NOT EXISTS reservations_overdue ON reservation.reservations (stay_start, reservation_id)
    WHERE state = 'confirmed' OR state IN ('check_in_started', 'checked_in') AND expected_rooms > 0;
DROP INDEX IF EXISTS reservation.reservations_arriving, reservation.reservations_awaited;

GRANT SELECT (expected_rooms) ON reservation.reservations TO reservation_maintenance;
