-- Once nothing is in flight, no event waits in an outbox, none is parked, and none is on its way.
SELECT 'reservation' AS place, subject, status FROM reservation.outbox WHERE published_at IS NULL
UNION ALL
SELECT 'sandbox', subject, status FROM sandbox.outbox WHERE published_at IS NULL
UNION ALL
SELECT 'bff_tenant_booking', subject, status FROM bff_tenant_booking.outbox WHERE published_at IS NULL
UNION ALL
SELECT 'bff_consumer', subject, status FROM bff_consumer.outbox WHERE published_at IS NULL;
