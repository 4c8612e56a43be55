DROP TABLE IF EXISTS bff_tenant_booking.booking_owners;
