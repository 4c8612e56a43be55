DROP FUNCTION IF EXISTS sandbox.commit_rooms(uuid[]);
DROP FUNCTION IF EXISTS sandbox.hold_rooms(uuid, uuid, uuid, date, date, interval, uuid[], uuid[], int[]);
DROP FUNCTION IF EXISTS sandbox.recall_hold(uuid, uuid, date, date, uuid[], uuid[], int[]);
DROP FUNCTION IF EXISTS sandbox.sold_out(uuid[], int[], date, date, timestamptz);
DROP FUNCTION IF EXISTS sandbox.units_left(uuid[], date, date, timestamptz);
DROP FUNCTION IF EXISTS sandbox.takes(text, timestamptz, timestamptz);
DROP TABLE IF EXISTS sandbox.allocations, sandbox.inventory_nights;
