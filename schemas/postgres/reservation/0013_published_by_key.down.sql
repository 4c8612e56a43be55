DROP INDEX IF EXISTS reservation.outbox_published;
