DROP POLICY IF EXISTS sweep ON reservation.reservations;
REVOKE SELECT (tenant_id, reservation_id, state, stay_start, stay_end, step_since, step_attempts) ON reservation.reservations FROM reservation_maintenance;
DROP TABLE IF EXISTS reservation.tenant_settings, reservation.rooms_out_of_order, reservation.room_nights, reservation.modifications;
REVOKE UPDATE, DELETE ON reservation.reservation_items FROM reservation_app;
ALTER TABLE reservation.reservation_items
    DROP COLUMN IF EXISTS room_id,
    DROP COLUMN IF EXISTS free_until;
DROP INDEX IF EXISTS reservation.reservations_awaited, reservation.reservations_leaving, reservation.reservations_step;
-- Existing rows may break the older rules, so only new ones are checked.
ALTER TABLE reservation.reservations DROP CONSTRAINT IF EXISTS reservations_pending_step_check;
ALTER TABLE reservation.reservations ADD CONSTRAINT reservations_pending_step_check
    CHECK (pending_step IN ('', 'await_inventory', 'await_payment')) NOT VALID;
ALTER TABLE reservation.reservations DROP CONSTRAINT IF EXISTS reservations_paid;
ALTER TABLE reservation.reservations ADD CONSTRAINT reservations_paid CHECK (state IN ('held', 'expired_hold', 'cancelled') OR
    (payment_status = 'captured' AND captured_micro >= grand_total_micro AND payment_intent_id IS NOT NULL AND capture_event_id IS NOT NULL) OR
    (payment_status = 'pending_cash' AND payment_intent_id IS NOT NULL)) NOT VALID;
ALTER TABLE reservation.reservations
    DROP COLUMN IF EXISTS step_since,
    DROP COLUMN IF EXISTS step_attempts,
    DROP COLUMN IF EXISTS step_plan,
    DROP COLUMN IF EXISTS payments,
    DROP COLUMN IF EXISTS refund_requests,
    DROP COLUMN IF EXISTS keys,
    DROP COLUMN IF EXISTS check_in,
    DROP COLUMN IF EXISTS check_out,
    DROP COLUMN IF EXISTS no_show,
    DROP COLUMN IF EXISTS spared_until,
    DROP COLUMN IF EXISTS overstayed_on;
