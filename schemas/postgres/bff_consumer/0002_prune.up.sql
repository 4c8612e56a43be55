-- What the prune may look at and remove. Nothing here is a tenant's, so no policy narrows it. Re-runnable.

GRANT DELETE ON bff_consumer.guest_sessions, bff_consumer.page_views, bff_consumer.funnel_events, bff_consumer.handoff_ledger,
    bff_consumer.bot_scores TO bff_consumer_maintenance;
GRANT SELECT (page_view_id, viewed_at) ON bff_consumer.page_views TO bff_consumer_maintenance;
GRANT SELECT (funnel_event_id, occurred_at) ON bff_consumer.funnel_events TO bff_consumer_maintenance;
GRANT SELECT (handoff_id, minted_at) ON bff_consumer.handoff_ledger TO bff_consumer_maintenance;
GRANT SELECT (seq, evaluated_at) ON bff_consumer.bot_scores TO bff_consumer_maintenance;
