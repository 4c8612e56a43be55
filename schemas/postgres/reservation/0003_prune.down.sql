REVOKE DELETE, SELECT (quote_id, created_at) ON reservation.quotes FROM reservation_maintenance;
DROP POLICY IF EXISTS prune_looks ON reservation.quotes;
DROP POLICY IF EXISTS prune_removes ON reservation.quotes;
