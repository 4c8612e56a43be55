DROP INDEX IF EXISTS reservation.reservations_expected, reservation.reservations_overdue;
CREATE INDEX IF NOT EXISTS reservations_arriving ON reservation.reservations (tenant_id, property_id, stay_start, reservation_id)
    WHERE state = 'confirmed';
CREATE INDEX IF NOT EXISTS reservations_awaited ON reservation.reservations (stay_start, reservation_id) WHERE state = 'confirmed';
ALTER TABLE reservation.reservations DROP COLUMN IF EXISTS expected_rooms;
ALTER TABLE reservation.reservation_items DROP COLUMN IF EXISTS arrived_at;
