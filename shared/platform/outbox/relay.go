package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A pace bounds a turn.
type pace struct {
	lanes   int
	rows    int
	lease   time.Duration
	publish time.Duration // time from before the lease until publishing must have ended
	finish  time.Duration // time for marking and releasing, also granted after a shutdown signal
}

// The paces of relays and writers. A lease outlasts publish and finish together; otherwise two turns could publish at once. A
// relay takes a quarter of the lanes: adjacent rows are in different lanes, so a turn reads and marks them together, while three
// other relays still find work.
var (
	relaying = pace{lanes: 16, rows: 2000, lease: 10 * time.Second, publish: 5 * time.Second, finish: 3 * time.Second}
	draining = pace{lanes: 64, rows: 200, lease: time.Second, publish: 100 * time.Millisecond, finish: 50 * time.Millisecond}
)

// Tick publishes until no free lane has due rows, or ctx ends. Several may run at once. Then it counts the stuck events for the
// context's tally; they are not an error of the relay.
func (o *Outbox) Tick(ctx context.Context, _ time.Time) error {
	if o.publisher == nil {
		return errors.New("outbox: relay: no publisher configured")
	}
	if err := o.work(ctx, relaying, nil); err != nil {
		return err
	}
	stuck, err := o.stuck(ctx)
	Report{Stuck: stuck}.add(ctx)
	return err
}

// drain publishes the events that have just been committed, for at most 150 ms: the answer waits for it. The relay publishes the
// rest, which drain had no time for or whose lane another turn holds. It continues if the caller has left, but not beyond the
// caller's deadline.
func (o *Outbox) drain(ctx context.Context, keys []string) {
	if o.publisher == nil || len(keys) == 0 {
		return
	}
	budget := o.draining.publish
	if deadline, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(deadline))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), budget)
	defer cancel()
	_ = o.work(ctx, o.draining, keys) // the transaction is committed, whatever the result
}

// work takes turns until one finds no due rows. So every holder looks again after it has released its lanes, for writers that
// committed meanwhile and found the lane leased.
func (o *Outbox) work(ctx context.Context, p pace, only []string) error {
	l, err := o.turn(ctx, p, only, lease{})
	for err == nil && len(l.lanes) > 0 {
		l, err = o.turn(ctx, p, only, l)
	}
	return err
}

// turn settles the turn before, if there was one, leases lanes in the same round trip, and publishes their rows. It returns no lanes if
// none has due rows, or if ctx is over.
func (o *Outbox) turn(ctx context.Context, p pace, only []string, before lease) (l lease, err error) {
	within, cancel := context.WithTimeout(ctx, p.publish) // begins before the lease does, so it ends before it
	defer cancel()
	writing := within
	if len(before.lanes) > 0 {
		writing, cancel = context.WithTimeout(context.WithoutCancel(ctx), p.finish)
		defer cancel()
	}
	err = o.db.InTx(writing, func(tx postgres.Tx) (err error) {
		if len(before.lanes) > 0 {
			o.settle(tx, before)
			if ctx.Err() != nil {
				return nil
			}
			tx.Chain()
		}
		l, err = o.take(writing, tx, p, only)
		return err
	})
	if err != nil {
		return lease{}, fmt.Errorf("outbox: turn in %s: %w", o.db.Schema(), err)
	}
	if len(l.lanes) > 0 {
		l.out = o.serve(ctx, within, l.rows)
		l.out.report.add(ctx)
	}
	return l, nil
}

// settle marks the results of the rows and releases the lanes. If it fails, the lease expires and the rows are published again. Two
// turns can deadlock only if a lease expired while its turn was still publishing; one of them fails.
func (o *Outbox) settle(tx postgres.Tx, l lease) {
	tx.AsyncCommit() // a mark lost in a crash only causes a second publish
	o.mark(tx, l.out)
	o.release(tx, l)
}

// serve publishes rows. within is the turn's context, ctx the caller's.
func (o *Outbox) serve(ctx, within context.Context, rows []row) *outcome {
	out := &outcome{at: o.now(), stopped: map[string]bool{}}
	var sent []row
	var messages []topic.Message
	for _, r := range rows {
		m, err := r.message(out.at)
		if err != nil {
			out.fail(r, err, true) // a retry cannot succeed
			continue
		}
		sent, messages = append(sent, r), append(messages, m)
	}
	for i, err := range o.publisher.Publish(within, messages) {
		out.sort(sent[i], err, ctx.Err() != nil)
	}
	return out
}

// A row is an unpublished event.
type row struct {
	ID       [16]byte
	Subject  string
	Key      string `db:"ordering_key"`
	Payload  []byte
	Envelope []byte
	Deferred bool
	Enqueued time.Time `db:"enqueued_at"`
}

// sealed is the content of the column envelope: the envelope as it is published, and the attributes beside it.
type sealed struct {
	event.Envelope
	Extensions event.Extensions `json:"extensions,omitzero"`
}

// message returns the row as a message published at that time.
func (r row) message(at time.Time) (topic.Message, error) {
	var s sealed
	if err := json.Unmarshal(r.Envelope, &s); err != nil {
		return topic.Message{}, errors.New("the envelope does not decode") // the cause may contain payload
	}
	s.PublishedAt = at
	raw := event.Raw{Envelope: s.Envelope, Payload: r.Payload, Extensions: s.Extensions}
	data, err := raw.Data()
	if err != nil {
		return topic.Message{}, err
	}
	return topic.Message{Topic: r.Subject, OrderingKey: r.Key, Attributes: raw.Attributes(), Data: data}, nil
}

// stuck counts the stuck events by their retention class, and estimates the rows of the outbox, because counting them would read all of them.
func (o *Outbox) stuck(ctx context.Context) (s Stuck, err error) {
	err = o.db.InTx(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, o.sql(`
			SELECT count(*) FILTER (WHERE class IS DISTINCT FROM @operational), count(*) FILTER (WHERE class = @operational),
			       (SELECT CASE WHEN reltuples >= 1e7 THEN reltuples::bigint ELSE 0 END FROM pg_catalog.pg_class WHERE oid = '{schema}.outbox'::regclass)
			FROM (SELECT envelope ->> 'retentionClass' AS class FROM {schema}.outbox WHERE parked_reason IS NOT NULL UNION ALL
			      SELECT envelope ->> 'retentionClass' FROM {schema}.outbox WHERE published_at IS NULL AND parked_reason IS NULL
			        AND enqueued_at < platform.now() - @after::interval) AS events`),
			pgx.StrictNamedArgs{"after": stuckAfter, "operational": event.Operational}).Scan(&s.Evidence, &s.Operational, &s.Rows)
	})
	if err != nil {
		return s, fmt.Errorf("outbox: stuck in %s: %w", o.db.Schema(), err)
	}
	return s, nil
}

// stuckAfter is how long an event may fail, or wait because another session has locked its lane, until it counts as stuck.
const stuckAfter = 5 * time.Minute
