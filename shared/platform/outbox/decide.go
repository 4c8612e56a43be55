package outbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Decision is the row that a deciding statement returns.
type Decision struct {
	Outcome string
	Moments []time.Time // two times of the database's clock, such as when a hold was placed and when it ends
	Fresh   bool        // decided by this statement; false where an earlier decision was found
}

// Endings are the events to append for each outcome. All have the same ordering key. An outcome that is not among them has no
// events.
type Endings map[string][]event.Draft

// When and UntilWhen are placeholders in the payload of an ending: the database puts the first and the second of the
// decision's moments in their place.
var (
	When      = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	UntilWhen = When.Add(time.Millisecond)
)

// Decide runs a statement by which the database decides, and appends the events of its outcome if that is fresh, in the same
// round trip. The statement returns one row of outcome (text), moments (two timestamptz) and fresh (boolean).
//
// The endings are domain events and are held to their schemas as Append holds them, with moments that are like all
// others. So an ending that breaks its contract fails the transaction even where another has come true.
func (o *Outbox) Decide(ctx context.Context, tx postgres.Tx, statement string, args pgx.StrictNamedArgs, endings Endings) (d Decision, err error) {
	key, told, err := o.compose(ctx, endings)
	if err != nil {
		return d, fmt.Errorf("outbox: decide: %w", err)
	}
	maps.Copy(told, args)
	rows, _ := tx.Query(ctx, o.sql(strings.Replace(decide, "{statement}", statement, 1)), told)
	if d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Decision]); err != nil {
		return d, fmt.Errorf("outbox: decide: %w", err)
	}
	if d.Fresh {
		tx.AfterCommit("outbox "+o.db.Schema(), o.drain, key)
	}
	return d, nil
}

// decide waits for the key's other writers once it is decided, not before: whoever decides may wait for locks, which another
// may have who comes here. Nobody needs the result of that wait, but what is volatile is not left out.
const decide = `
	WITH decision AS MATERIALIZED ({statement}),
	told AS (
		INSERT INTO {schema}.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
		SELECT e.id, e.event_id, e.tenant_id, e.subject, @told_key, format(e.payload,
		       to_char(d.moments[1] AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
		       to_char(d.moments[2] AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::jsonb, e.envelope::jsonb, e.occurred_at
		FROM decision AS d
		CROSS JOIN LATERAL (SELECT pg_advisory_xact_lock(hashtextextended(@told_lock, 0)) WHERE d.fresh) AS waited
		JOIN unnest(@told_outcomes::text[], @told_ids::uuid[], @told_names::text[], @told_tenants::uuid[], @told_subjects::text[],
			@told_payloads::text[], @told_envelopes::text[], @told_times::timestamptz[])
			AS e (outcome, id, event_id, tenant_id, subject, payload, envelope, occurred_at) ON e.outcome = d.outcome)
	SELECT outcome, moments, fresh FROM decision`

// compose makes the arguments of decide that tell how it may end.
func (o *Outbox) compose(ctx context.Context, endings Endings) (key string, args pgx.StrictNamedArgs, err error) {
	var ids []id.Event
	var tenants []*id.Tenant
	var outcomes, names, subjects, payloads, envelopes []string
	var times []time.Time
	for outcome, drafts := range endings {
		for _, draft := range drafts {
			raw, envelope, err := o.ending(ctx, draft)
			if err == nil && key != "" && draft.OrderingKey != key {
				err = errors.New("of another ordering key")
			}
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", draft.Subject.Name, err)
			}
			e := raw.Envelope
			key, outcomes, subjects = draft.OrderingKey, append(outcomes, outcome), append(subjects, e.Subject)
			ids, names, tenants = append(ids, e.EventID), append(names, e.EventID.String()), append(tenants, e.TenantID)
			payloads, envelopes, times = append(payloads, pattern.Replace(string(raw.Payload))), append(envelopes, string(envelope)), append(times, e.OccurredAt)
		}
	}
	return key, pgx.StrictNamedArgs{"told_key": key, "told_lock": o.db.Schema() + " outbox " + key, "told_outcomes": outcomes,
		"told_ids": ids, "told_names": names, "told_tenants": tenants, "told_subjects": subjects, "told_payloads": payloads,
		"told_envelopes": envelopes, "told_times": times}, nil
}

func (o *Outbox) ending(ctx context.Context, d event.Draft) (raw event.Raw, envelope []byte, err error) {
	if raw, err = d.Seal(o.now(), event.OriginOf(ctx)); err != nil {
		return raw, nil, err
	}
	if err = keeps(d, raw); err != nil {
		return raw, nil, err
	}
	envelope, err = json.Marshal(sealed{raw.Envelope, raw.Extensions})
	return raw, envelope, err
}

// pattern has places for the moments in a payload, as format of SQL fills them.
var pattern = strings.NewReplacer("%", "%%", wire(When), "%1$s", wire(UntilWhen), "%2$s")

func wire(moment time.Time) string { return moment.Format("2006-01-02T15:04:05.000Z") }
