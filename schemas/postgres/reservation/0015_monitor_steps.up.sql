-- The report "sagas" of the job database lists the steps that do not end, with the ids that other services know. Re-runnable.
GRANT SELECT (tenant_id, property_id, reservation_id, state, pending_step) ON reservation.reservations TO pg_monitor;
