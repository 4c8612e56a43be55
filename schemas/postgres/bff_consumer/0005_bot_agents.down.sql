ALTER TABLE bff_consumer.bot_scores DROP COLUMN IF EXISTS user_agent_hash;
