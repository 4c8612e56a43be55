package outbox

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Append writes events in the transaction and publishes them right after the commit; deferred ones are left to the relay, or to the next
// event of their lane. It validates every payload strictly against
// its schema. A violation fails the transaction, except for the retention class operational: such an event is stored as parked, with
// the reason, because a page view must not fail a booking. Audit and regulated events are evidence of the act, so the act fails.
//
// Transactions that append to the same key are serialized: the second waits here until the first has ended. So within a key the
// order of seq is the order of commits. The rows are sent with the next statement, or with the commit.
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
		rows[i].deferred = draft.Subject.Deferred
	}
	if err := o.insert(tx, rows); err != nil {
		return fmt.Errorf("outbox: append %s: %w", events[0].Subject.Name, err)
	}
	if prompt := slices.DeleteFunc(rows, func(e entry) bool { return e.deferred }); len(prompt) > 0 {
		tx.AfterCommit("outbox "+o.db.Schema(), o.drain, keys(prompt)...)
	}
	return nil
}

// An entry is an event that is about to be inserted.
type entry struct {
	event.Raw
	key      string
	parked   *string // why it must not be published; nil if it may be
	deferred bool
}

func (o *Outbox) seal(ctx context.Context, d event.Draft) (entry, error) {
	raw, err := d.Seal(o.now(), event.OriginOf(ctx))
	if err == nil {
		err = keeps(d, raw)
	}
	if err == nil || d.Subject.Retention.Class != event.Operational {
		return entry{Raw: raw, key: d.OrderingKey}, err
	}
	return o.park(ctx, d, raw, err)
}

// keeps returns the reason why an event must not be stored, or nil: it has no ordering key, its payload contains a zero
// character, or it violates its schema.
func keeps(d event.Draft, raw event.Raw) error {
	switch {
	case d.OrderingKey == "":
		return errors.New("the event has no ordering key")
	case unstorable.Match(raw.Payload):
		return errUnstorable
	}
	return contract.ValidateOutgoing(raw.Envelope.Subject, raw.Payload)
}

// unstorable finds a string with \u0000, which JSON allows and Postgres cannot store. After an odd number of further backslashes it is
// plain text.
var unstorable = regexp.MustCompile(`(^|[^\\])(\\\\)*\\u0000`)

var errUnstorable = errors.New("the payload contains a zero character")

// park returns the entry of a parked operational event, as far as it can be stored.
func (o *Outbox) park(ctx context.Context, d event.Draft, raw event.Raw, broken error) (entry, error) {
	if raw.Payload == nil || unstorable.Match(raw.Payload) {
		d.Payload, d.Extensions = struct{}{}, nil
		var err error
		if raw, err = d.Seal(o.now(), event.OriginOf(ctx)); err != nil {
			return entry{}, errors.Join(broken, err) // an undeclared subject
		}
	}
	reason, key := broken.Error(), d.OrderingKey
	if key == "" {
		key = raw.Envelope.EventID.String()
	}
	return entry{Raw: raw, key: key, parked: &reason}, nil
}

// insert queues the insertion of the entries. The first writer of a key in this transaction waits for earlier transactions that
// wrote to it.
func (o *Outbox) insert(tx postgres.Tx, entries []entry) error {
	// The keys are sorted, so that two transactions with several keys cannot deadlock.
	for _, key := range keys(entries) {
		tx.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, o.db.Schema()+" outbox "+key)
	}
	for _, e := range entries {
		envelope, err := json.Marshal(sealed{e.Envelope, e.Extensions})
		if err != nil {
			return err
		}
		tx.Queue(o.sql(`
			INSERT INTO {schema}.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, deferred, parked_reason)
			VALUES (@id, @event, @tenant, @subject, @key, @payload, @envelope, @occurred, @deferred, @parked)`),
			pgx.StrictNamedArgs{"id": e.Envelope.EventID, "event": e.Envelope.EventID.String(), "tenant": e.Envelope.TenantID,
				"subject": e.Envelope.Subject, "key": e.key, "payload": []byte(e.Payload), "envelope": envelope,
				"occurred": e.Envelope.OccurredAt, "deferred": e.deferred, "parked": e.parked})
	}
	return nil
}

func keys(entries []entry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.key)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
