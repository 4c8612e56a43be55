REVOKE SELECT (tenant_id, draft_id, reservation_id, state, created_at) ON bff_tenant_booking.booking_drafts FROM pg_monitor;
