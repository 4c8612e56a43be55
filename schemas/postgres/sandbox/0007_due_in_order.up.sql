-- The sweep goes through what is due in one order, also where much is due at the same moment. Re-runnable.
CREATE INDEX IF NOT EXISTS intents_due_in_order ON sandbox.intents (expires_at, intent_id) WHERE status = 'requires_payment';
DROP INDEX IF EXISTS sandbox.ix_intents_due;
