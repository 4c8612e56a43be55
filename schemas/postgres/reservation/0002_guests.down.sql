DROP TABLE IF EXISTS reservation.guests;
