DROP INDEX IF EXISTS reservation.reservations_arriving, reservation.reservations_waiting, reservation.reservations_unsettled;
