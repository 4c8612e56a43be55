DROP TABLE IF EXISTS sandbox.recent_views, sandbox.recent_bookings;
