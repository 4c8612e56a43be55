-- Payments without a payment page (3-D Secure on the hotel's page, a request on the guest's phone), and banks that answer later.
-- The previous version of the code inserts rows without the new columns: payments on a page. Re-runnable.
ALTER TABLE sandbox.intents
    ADD COLUMN IF NOT EXISTS client_secret text, -- set: the guest approves on the hotel's page, which proves itself with it
    ADD COLUMN IF NOT EXISTS scenario      text; -- set: the scenario that the sandbox plays when the guest approves

ALTER TABLE sandbox.intents DROP CONSTRAINT IF EXISTS intents_scenario_check;
ALTER TABLE sandbox.intents ADD CONSTRAINT intents_scenario_check
    CHECK (scenario IN ('pending', 'challenge_3ds', 'declined_3ds', 'posted_return'));
ALTER TABLE sandbox.intents DROP CONSTRAINT IF EXISTS intents_status_check;
ALTER TABLE sandbox.intents ADD CONSTRAINT intents_status_check
    CHECK (status IN ('requires_payment', 'requires_action', 'processing', 'captured', 'pending_cash', 'failed', 'superseded'));

CREATE UNIQUE INDEX IF NOT EXISTS intents_one_live ON sandbox.intents (reservation_id)
    WHERE status IN ('requires_payment', 'requires_action', 'processing', 'pending_cash');
DROP INDEX IF EXISTS sandbox.ux_intents_one_live;
CREATE INDEX IF NOT EXISTS intents_due ON sandbox.intents (expires_at, intent_id)
    WHERE status IN ('requires_payment', 'requires_action', 'processing');
DROP INDEX IF EXISTS sandbox.intents_due_in_order;
