-- The report "drafts" of the job database lists the payments without an outcome, with the ids that other services know. Re-runnable.
GRANT SELECT (tenant_id, draft_id, reservation_id, state, created_at) ON bff_tenant_booking.booking_drafts TO pg_monitor;
