DROP FUNCTION platform.now();
DROP TABLE IF EXISTS platform.clock;
