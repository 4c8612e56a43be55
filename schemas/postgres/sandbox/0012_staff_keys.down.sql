DROP TABLE IF EXISTS sandbox.staff_keys;
