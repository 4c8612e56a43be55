-- Guests of holds that never became a booking are deleted 30 days after the last hold has ended, with what they asked for. Other
-- guests belong to the books of the hotel. Re-runnable.
DO $$
DECLARE
    t text;
    lapsed CONSTANT text := 'EXISTS (SELECT FROM reservation.reservations AS r WHERE r.tenant_id = %1$I.tenant_id
            AND r.reservation_id = %1$I.reservation_id AND r.state IN (''expired_hold'', ''cancelled'') AND r.confirmed_at IS NULL)
        AND NOT EXISTS (SELECT FROM reservation.holds AS h WHERE h.tenant_id = %1$I.tenant_id
            AND h.reservation_id = %1$I.reservation_id AND h.expires_at >= platform.now() - interval ''30 days'')';
BEGIN
    FOREACH t IN ARRAY ARRAY['guests', 'special_requests'] LOOP
        EXECUTE format('DROP POLICY IF EXISTS prune_looks ON reservation.%I', t);
        EXECUTE format('DROP POLICY IF EXISTS prune_removes ON reservation.%I', t);
        EXECUTE format('CREATE POLICY prune_looks ON reservation.%1$I FOR SELECT TO reservation_maintenance USING (' || lapsed || ')', t);
        EXECUTE format('CREATE POLICY prune_removes ON reservation.%1$I FOR DELETE TO reservation_maintenance USING (' || lapsed || ')', t);
    END LOOP;
END $$;
GRANT SELECT (reservation_id, tenant_id), DELETE ON reservation.guests TO reservation_maintenance;
GRANT SELECT (special_request_id, reservation_id, tenant_id), DELETE ON reservation.special_requests TO reservation_maintenance;

DROP POLICY IF EXISTS lapsed ON reservation.reservations;
CREATE POLICY lapsed ON reservation.reservations FOR SELECT TO reservation_maintenance
    USING (state IN ('expired_hold', 'cancelled') AND confirmed_at IS NULL);
GRANT SELECT (confirmed_at) ON reservation.reservations TO reservation_maintenance;
CREATE INDEX IF NOT EXISTS holds_reservation ON reservation.holds (tenant_id, reservation_id);
