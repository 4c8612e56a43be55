-- A session goes on under another id when its guest is named: what is kept of its drafts goes along. Re-runnable.
GRANT UPDATE (session_id) ON bff_tenant_booking.booking_draft_snapshots TO bff_tenant_booking_app;
