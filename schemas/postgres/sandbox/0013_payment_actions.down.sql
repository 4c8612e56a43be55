-- A payment that is under way ends as superseded, without an event: the earlier code has no page for it.
ALTER TABLE sandbox.intents NO FORCE ROW LEVEL SECURITY;
UPDATE sandbox.intents SET status = 'superseded', version = version + 1 WHERE status IN ('requires_action', 'processing');
ALTER TABLE sandbox.intents FORCE ROW LEVEL SECURITY;

CREATE UNIQUE INDEX IF NOT EXISTS ux_intents_one_live ON sandbox.intents (reservation_id)
    WHERE status IN ('requires_payment', 'pending_cash');
DROP INDEX IF EXISTS sandbox.intents_one_live;
CREATE INDEX IF NOT EXISTS intents_due_in_order ON sandbox.intents (expires_at, intent_id) WHERE status = 'requires_payment';
DROP INDEX IF EXISTS sandbox.intents_due;

ALTER TABLE sandbox.intents DROP CONSTRAINT IF EXISTS intents_status_check;
ALTER TABLE sandbox.intents ADD CONSTRAINT intents_status_check
    CHECK (status IN ('requires_payment', 'captured', 'pending_cash', 'failed', 'superseded'));
ALTER TABLE sandbox.intents DROP COLUMN IF EXISTS scenario, DROP COLUMN IF EXISTS client_secret;
