REVOKE DELETE ON bff_consumer.wishlist FROM bff_consumer_maintenance;
REVOKE SELECT (verdict) ON bff_consumer.bot_scores FROM bff_consumer_maintenance;
REVOKE SELECT (guest_session_id) ON bff_consumer.wishlist, bff_consumer.page_views, bff_consumer.funnel_events, bff_consumer.handoff_ledger,
    bff_consumer.bot_scores FROM bff_consumer_maintenance;
DROP TABLE IF EXISTS bff_consumer.erasure_receipts, bff_consumer.erasure_requests;
