-- The user agent of a suspected visitor, as a hash. Re-runnable.
ALTER TABLE bff_consumer.bot_scores ADD COLUMN IF NOT EXISTS user_agent_hash text;
