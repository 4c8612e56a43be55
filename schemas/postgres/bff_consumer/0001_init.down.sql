-- The roles stay: they belong to the whole cluster.
DROP TABLE IF EXISTS bff_consumer.idempotency, bff_consumer.inbox_processed, bff_consumer.outbox_lanes, bff_consumer.outbox;
DROP TABLE IF EXISTS bff_consumer.bot_scores, bff_consumer.handoff_ledger, bff_consumer.wishlist, bff_consumer.guest_sessions,
    bff_consumer.erasure_receipts, bff_consumer.erasure_requests;
REVOKE USAGE ON SCHEMA bff_consumer FROM pg_monitor;
