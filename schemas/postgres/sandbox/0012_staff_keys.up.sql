-- iam: the keys that sign staff tokens of the sandbox. One is current; the earlier ones verify tokens for a day. They belong to no
-- tenant. A production deployment has no sandbox and trusts other keys. Re-runnable.
CREATE TABLE IF NOT EXISTS sandbox.staff_keys (
    kid        text PRIMARY KEY,
    seed       bytea NOT NULL CHECK (octet_length(seed) = 32), -- of an Ed25519 key
    created_at timestamptz NOT NULL,
    retired_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS ux_staff_keys_current ON sandbox.staff_keys ((true)) WHERE retired_at IS NULL;

GRANT SELECT, INSERT, UPDATE (retired_at), DELETE ON sandbox.staff_keys TO sandbox_app;
