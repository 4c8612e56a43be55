CREATE INDEX IF NOT EXISTS ix_intents_due ON sandbox.intents (expires_at) WHERE status = 'requires_payment';
DROP INDEX IF EXISTS sandbox.intents_due_in_order;
