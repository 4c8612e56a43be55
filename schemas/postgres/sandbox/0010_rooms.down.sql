-- Rooms that are out of order are on sale again.
DO $$
BEGIN
    IF to_regclass('sandbox.room_nights_out') IS NOT NULL THEN
        UPDATE sandbox.inventory_nights AS n SET capacity = n.capacity + o.rooms
        FROM (SELECT room_type_id, night, count(*) AS rooms FROM sandbox.room_nights_out GROUP BY room_type_id, night) AS o
        WHERE o.room_type_id = n.room_type_id AND o.night = n.night;
    END IF;
END $$;
REVOKE UPDATE (capacity) ON sandbox.inventory_nights FROM sandbox_app;
DROP FUNCTION IF EXISTS sandbox.take_room_out(uuid, date, date, text);
DROP TABLE IF EXISTS sandbox.room_nights_out;
DROP TABLE IF EXISTS sandbox.room_outages;
DROP TABLE IF EXISTS sandbox.rooms;
