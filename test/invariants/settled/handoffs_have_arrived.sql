-- Once nothing is in flight, the ledger of handoffs knows which have arrived, as the log of arrivals does. That forgets earlier.
SELECT l.handoff_id, l.consumed_at, a.consumed
FROM bff_consumer.handoff_ledger AS l
JOIN bff_tenant_booking.handoff_arrival_log AS a ON a.handoff_id = l.handoff_id AND a.tenant_id = l.tenant_id
WHERE (l.consumed_at IS NOT NULL) <> a.consumed;
