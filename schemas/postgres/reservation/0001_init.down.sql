-- The roles stay: they belong to the cluster, and another database may use them.
DROP TABLE IF EXISTS reservation.idempotency, reservation.inbox_processed, reservation.outbox_lanes, reservation.outbox,
    reservation.holds, reservation.reservation_items, reservation.reservations, reservation.quotes;
