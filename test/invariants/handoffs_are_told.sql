-- Every handoff in the ledger was told once, and every judgement that somebody is no human being.
WITH told AS (
    SELECT subject, count(*) AS events, count(DISTINCT coalesce(payload ->> 'handoffId', event_id)) AS different
    FROM bff_consumer.outbox
    GROUP BY 1
), balance (subject, rows) AS (
    SELECT 'melmastoon.bff.consumer.handoff.initiated.v1', (SELECT count(*) FROM bff_consumer.handoff_ledger)
    UNION ALL
    SELECT 'melmastoon.bff.consumer.bot_suspected.v1', (SELECT count(*) FROM bff_consumer.bot_scores WHERE verdict <> 'human')
)
SELECT subject, rows, events, different
FROM balance
LEFT JOIN told USING (subject)
WHERE rows <> coalesce(events, 0) OR rows <> coalesce(different, 0);
