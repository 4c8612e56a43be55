-- What the prune may see and remove: quotes whose time is over, whichever tenant's, and no others. Re-runnable.

DROP POLICY IF EXISTS prune_looks ON reservation.quotes;
DROP POLICY IF EXISTS prune_removes ON reservation.quotes;
CREATE POLICY prune_looks ON reservation.quotes FOR SELECT TO reservation_maintenance
    USING (created_at < platform.now() - interval '90 days');
CREATE POLICY prune_removes ON reservation.quotes FOR DELETE TO reservation_maintenance
    USING (created_at < platform.now() - interval '90 days');

GRANT SELECT (quote_id, created_at), DELETE ON reservation.quotes TO reservation_maintenance;
