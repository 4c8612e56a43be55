REVOKE DELETE ON bff_consumer.guest_sessions, bff_consumer.page_views, bff_consumer.funnel_events, bff_consumer.handoff_ledger,
    bff_consumer.bot_scores FROM bff_consumer_maintenance;
REVOKE SELECT (page_view_id, viewed_at) ON bff_consumer.page_views FROM bff_consumer_maintenance;
REVOKE SELECT (funnel_event_id, occurred_at) ON bff_consumer.funnel_events FROM bff_consumer_maintenance;
REVOKE SELECT (handoff_id, minted_at) ON bff_consumer.handoff_ledger FROM bff_consumer_maintenance;
REVOKE SELECT (seq, evaluated_at) ON bff_consumer.bot_scores FROM bff_consumer_maintenance;
