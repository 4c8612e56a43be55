REVOKE UPDATE (deleted) ON reservation.erasures FROM reservation_maintenance;
DROP POLICY IF EXISTS counts ON reservation.erasures;
DROP INDEX IF EXISTS reservation.outbox_published;
