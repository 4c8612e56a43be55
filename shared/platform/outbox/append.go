package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Append writes events into the transaction and has them published right after it commits. Every payload is held to
// its schema and to the members that the schema names. One that breaks it fails the transaction, unless it is telemetry:
// that is kept, parked with the reason, because a page view must not cost a guest the booking.
//
// Two transactions that append to one key follow each other: the second waits here until the first has ended. So within
// a key the order of seq is the order of commits. The rows go to the database with the next statement, or with the commit.
func (o *Outbox) Append(ctx context.Context, tx postgres.Tx, events ...event.Draft) error {
	if len(events) == 0 {
		return nil
	}
	rows := make([]entry, len(events))
	for i, draft := range events {
		var err error
		if rows[i], err = o.seal(ctx, draft); err != nil {
			return fmt.Errorf("outbox: append %s: %w", draft.Subject.Name, err)
		}
	}
	if err := o.insert(tx, rows); err != nil {
		return fmt.Errorf("outbox: append %s: %w", events[0].Subject.Name, err)
	}
	tx.AfterCommit("outbox "+o.db.Schema(), o.drain, keys(rows, publishable)...)
	return nil
}

// An entry is an event on its way into the table.
type entry struct {
	event.Raw
	key    string
	parked *string // why it must not be published
}

// telemetry is what the two BFFs tell about browsers. Everything else is told by a domain about itself.
func telemetry(s event.Subject) bool { return strings.HasPrefix(s.Name, telemetryPrefix) }

const telemetryPrefix = "melmastoon.bff."

func (o *Outbox) seal(ctx context.Context, d event.Draft) (entry, error) {
	raw, err := d.Seal(o.now(), event.OriginOf(ctx))
	if err == nil {
		err = keeps(d, raw)
	}
	if err == nil {
		return entry{Raw: raw, key: d.OrderingKey}, nil
	}
	if !telemetry(d.Subject) {
		return entry{}, err
	}
	return o.park(ctx, d, raw, err)
}

// keeps returns why an event must not be written, nil if it may be: it has no ordering key, its payload holds a zero
// character, or it breaks its schema.
func keeps(d event.Draft, raw event.Raw) error {
	switch {
	case d.OrderingKey == "":
		return errors.New("no ordering key")
	case unstorable(raw.Payload):
		return errUnstorable
	}
	return contract.ValidateOutgoing(raw.Envelope.Subject, raw.Payload)
}

// unstorable tells of the one escape that JSON allows and Postgres does not keep: a zero character in a string. After an
// even number of backslashes, which are escaped themselves, it is one.
func unstorable(payload []byte) bool {
	for rest := payload; ; {
		before, after, found := bytes.Cut(rest, []byte(`\u0000`))
		if !found {
			return false
		}
		if (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 0 {
			return true
		}
		rest = after
	}
}

var errUnstorable = errors.New("the payload holds a zero character")

// park keeps what can be kept of a telemetry event that broke a rule.
func (o *Outbox) park(ctx context.Context, d event.Draft, raw event.Raw, broken error) (entry, error) {
	if raw.Payload == nil || unstorable(raw.Payload) {
		d.Payload, d.Extensions = struct{}{}, nil
		var err error
		if raw, err = d.Seal(o.now(), event.OriginOf(ctx)); err != nil {
			return entry{}, errors.Join(broken, err) // a subject that nobody declared
		}
	}
	reason, key := broken.Error(), d.OrderingKey
	if key == "" {
		key = raw.Envelope.EventID.String()
	}
	return entry{Raw: raw, key: key, parked: &reason}, nil
}

// insert has the entries written. Whoever writes to a key first waits for those who have written to it before and have not ended.
func (o *Outbox) insert(tx postgres.Tx, entries []entry) error {
	for _, key := range keys(entries, func(entry) bool { return true }) { // sorted, so that two transactions with several keys cannot block each other
		tx.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, o.db.Schema()+" outbox "+key)
	}
	for _, e := range entries {
		envelope, err := json.Marshal(sealed{e.Envelope, e.Extensions})
		if err != nil {
			return err
		}
		tx.Queue(o.sql(`
			INSERT INTO {schema}.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, parked_reason)
			VALUES (@id, @event, @tenant, @subject, @key, @payload, @envelope, @occurred, @parked)`),
			pgx.StrictNamedArgs{"id": e.Envelope.EventID, "event": e.Envelope.EventID.String(), "tenant": e.Envelope.TenantID,
				"subject": e.Envelope.Subject, "key": e.key, "payload": []byte(e.Payload), "envelope": envelope,
				"occurred": e.Envelope.OccurredAt, "parked": e.parked})
	}
	return nil
}

// publishable entries are those that nothing keeps from being published.
func publishable(e entry) bool { return e.parked == nil }

func keys(entries []entry, of func(entry) bool) []string {
	var all []string
	for _, e := range entries {
		if of(e) {
			all = append(all, e.key)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
