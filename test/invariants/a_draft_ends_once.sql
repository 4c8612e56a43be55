-- A draft that is over has one snapshot, which says the same; one that is not has none. That rooms were held for it was
-- told once, and its end was told once, as what it was.
WITH drafts AS (
    SELECT d.*, 'bdr_' || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(
               B'00' || ('x' || replace(d.draft_id::text, '-', ''))::bit(128) FROM 5 * i + 1 FOR 5)::int + 1, 1), '' ORDER BY i)
           FROM generate_series(0, 25) AS i) AS name
    FROM bff_tenant_booking.booking_drafts AS d
), told AS (
    SELECT payload ->> 'draftId' AS name,
           count(*) FILTER (WHERE subject = 'melmastoon.bff.tenant.booking.draft.created.v1') AS begun,
           count(*) FILTER (WHERE subject = 'melmastoon.bff.tenant.booking.draft.converted.v1') AS converted,
           count(*) FILTER (WHERE subject = 'melmastoon.bff.tenant.booking.draft.abandoned.v1') AS abandoned
    FROM bff_tenant_booking.outbox
    GROUP BY 1
), books AS (
    SELECT coalesce(d.name, s.draft_id) AS name, d.state, d.reservation_id, s.final_state, s.reservation_id AS reservation,
           coalesce(t.begun, 0) AS begun, coalesce(t.converted, 0) AS converted, coalesce(t.abandoned, 0) AS abandoned
    FROM drafts AS d
    FULL JOIN bff_tenant_booking.booking_draft_snapshots AS s ON s.draft_id = d.name
    LEFT JOIN told AS t ON t.name = coalesce(d.name, s.draft_id)
)
SELECT name, state, final_state, begun, converted, abandoned
FROM books
WHERE coalesce(CASE state WHEN 'confirmed' THEN 'converted' WHEN 'abandoned' THEN state WHEN 'failed' THEN state END, '')
          <> coalesce(final_state, '') AND state IS NOT NULL
   OR begun <> (coalesce(reservation_id::text, reservation) IS NOT NULL)::int
   OR converted <> (final_state IS NOT DISTINCT FROM 'converted')::int
   OR abandoned <> (final_state IS NOT DISTINCT FROM 'abandoned')::int;
