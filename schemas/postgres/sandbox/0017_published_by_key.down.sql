DROP INDEX IF EXISTS sandbox.outbox_published;
