DROP INDEX IF EXISTS bff_consumer.outbox_published;
