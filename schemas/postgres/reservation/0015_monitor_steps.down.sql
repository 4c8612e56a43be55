REVOKE SELECT (tenant_id, property_id, reservation_id, state, pending_step) ON reservation.reservations FROM pg_monitor;
