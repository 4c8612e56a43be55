DROP POLICY IF EXISTS prune_looks ON reservation.guests;
DROP POLICY IF EXISTS prune_removes ON reservation.guests;
DROP POLICY IF EXISTS prune_looks ON reservation.special_requests;
DROP POLICY IF EXISTS prune_removes ON reservation.special_requests;
DROP POLICY IF EXISTS lapsed ON reservation.reservations;
REVOKE SELECT (confirmed_at) ON reservation.reservations FROM reservation_maintenance;
REVOKE SELECT (reservation_id, tenant_id), DELETE ON reservation.guests FROM reservation_maintenance;
REVOKE SELECT (special_request_id, reservation_id, tenant_id), DELETE ON reservation.special_requests FROM reservation_maintenance;
DROP INDEX IF EXISTS reservation.holds_reservation;
