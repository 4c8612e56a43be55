-- The roles stay: they belong to the cluster, and another database may use them.
DROP TABLE IF EXISTS reservation.idempotency, reservation.inbox_processed, reservation.outbox_lanes, reservation.outbox,
    reservation.erasures, reservation.tenant_settings, reservation.rooms_out_of_order, reservation.room_nights, reservation.special_requests,
    reservation.guests, reservation.modifications, reservation.holds, reservation.reservation_charges, reservation.reservation_items,
    reservation.reservations, reservation.quotes;
REVOKE USAGE ON SCHEMA reservation FROM pg_monitor;
