REVOKE UPDATE (session_id) ON bff_tenant_booking.booking_draft_snapshots FROM bff_tenant_booking_app;
