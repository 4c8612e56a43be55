DROP FUNCTION IF EXISTS sandbox.reallocate_rooms(uuid, uuid, uuid, uuid[], uuid[], uuid[], int[], date[], date[]);
DROP FUNCTION IF EXISTS sandbox.recall_reallocation(uuid, uuid, uuid[], uuid[], uuid[], int[], date[], date[]);
DROP FUNCTION IF EXISTS sandbox.lock_stays(uuid[], date[], date[]);
