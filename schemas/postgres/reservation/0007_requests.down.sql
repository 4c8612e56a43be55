ALTER TABLE reservation.holds DROP COLUMN IF EXISTS taken_ids;
DROP TABLE IF EXISTS reservation.special_requests;
