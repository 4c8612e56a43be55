package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Report says what a relay did.
type Report struct {
	Published int
	Failed    int // to be tried again
	Parked    int // never to be tried again
	Stuck     Stuck
}

// Stuck counts the events of a schema that need a person: they are parked, or have failed for more than five minutes.
type Stuck struct {
	Domain    int
	Telemetry int // of a browser: a person may delete them
}

// A pace bounds a turn.
type pace struct {
	lanes   int
	rows    int
	lease   time.Duration
	publish time.Duration // from before the lease is taken until publishing must have ended
	finish  time.Duration // for marking and releasing; it is granted also to one who is told to stop
}

// The paces of those who take turns. A lease outlasts publish and finish together, or two could publish at once. A relay takes
// a quarter of the lanes: neighbours in the table are in different lanes, and are then read and marked together, while three
// other relays still find work.
var (
	relaying = pace{lanes: 16, rows: 2000, lease: 10 * time.Second, publish: 5 * time.Second, finish: 3 * time.Second}
	draining = pace{lanes: 64, rows: 200, lease: time.Second, publish: 100 * time.Millisecond, finish: 50 * time.Millisecond}
)

// Relay publishes until nothing is due in any lane that is free, or ctx ends. Any number may run at once. When the work is
// done it counts the events that need a person, also in the context's tally: that is no failure of the relay.
func (o *Outbox) Relay(ctx context.Context) (Report, error) {
	if o.publisher == nil {
		return Report{}, errors.New("outbox: relay: no publisher configured")
	}
	report, err := o.work(ctx, relaying, nil)
	if err != nil {
		return report, err
	}
	report.Stuck, err = o.stuck(ctx)
	tell(ctx, Waits{Stuck: report.Stuck})
	return report, err
}

// Tick is a Relay that the scheduler asks for, and that tells it of failures only.
func (o *Outbox) Tick(ctx context.Context, _ time.Time) error {
	_, err := o.Relay(ctx)
	return err
}

// drain publishes what has just been committed, for at most 150 ms: the answer waits for it. What it leaves, for want
// of time or because somebody else holds the lane, the relay takes. It outlasts a caller who has hung up, but no deadline.
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
	_, _ = o.work(ctx, o.draining, keys) // the transaction stands, whatever became of this
}

// work takes turns until one finds nothing to do. So every holder looks once more after it has released its lanes, for
// the sake of those who committed meanwhile, found the lane held, and went away.
func (o *Outbox) work(ctx context.Context, p pace, only []string) (Report, error) {
	var report Report
	for {
		out, found, err := o.turn(ctx, p, only)
		if err != nil || !found {
			return report, err
		}
		tell(ctx, out.waits)
		report.Published += len(out.published)
		report.Failed += len(out.failed.ids)
		report.Parked += len(out.parked.ids)
	}
}

// turn leases some lanes and serves them once. It reports whether it found any.
func (o *Outbox) turn(ctx context.Context, p pace, only []string) (out *outcome, found bool, err error) {
	within, cancel := context.WithTimeout(ctx, p.publish) // begins before the lease does, so it ends before it
	defer cancel()
	l, err := o.take(within, p, only)
	if err != nil || len(l.lanes) == 0 {
		return out, false, err
	}
	if err := o.step(Taken); err != nil {
		return out, true, err
	}
	out = o.serve(ctx, within, l.rows)
	if err := o.step(Published); err != nil {
		return out, true, err
	}
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.finish)
	defer cancel()
	if err := o.settle(finish, l, out); err != nil {
		return out, true, err
	}
	return out, true, o.step(Settled)
}

// serve publishes rows. Within is the turn's own time, ctx the caller's.
func (o *Outbox) serve(ctx, within context.Context, rows []row) *outcome {
	out := &outcome{at: o.now()}
	rows, messages := out.compose(rows)
	for i, err := range o.publisher.Publish(within, messages) {
		out.sort(rows[i], err, ctx.Err() != nil)
	}
	return out
}

// settle writes down what became of the rows and gives the lanes back, in one transaction. When that fails the lease
// runs out, and the rows are published again.
func (o *Outbox) settle(ctx context.Context, l lease, out *outcome) error {
	err := o.db.InTx(ctx, func(tx postgres.Tx) error {
		tx.AsyncCommit() // what is lost with the power is only published once more
		o.mark(tx, out)
		o.release(tx, l)
		return nil
	})
	if err != nil {
		return fmt.Errorf("outbox: settle in %s: %w", o.db.Schema(), err)
	}
	return nil
}

// stuck counts the events that need a person.
func (o *Outbox) stuck(ctx context.Context) (s Stuck, err error) {
	err = o.db.InTx(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, o.sql(`
			SELECT count(*) FILTER (WHERE NOT starts_with(subject, @telemetry)), count(*) FILTER (WHERE starts_with(subject, @telemetry))
			FROM (SELECT subject FROM {schema}.outbox WHERE parked_reason IS NOT NULL
			      UNION ALL
			      SELECT subject FROM {schema}.outbox
			      WHERE next_attempt_at IS NOT NULL AND published_at IS NULL AND parked_reason IS NULL
			        AND enqueued_at < platform.now() - @patience::interval) AS events`),
			pgx.StrictNamedArgs{"patience": queryTimeout, "telemetry": telemetryPrefix}).Scan(&s.Domain, &s.Telemetry)
	})
	if err != nil {
		return s, fmt.Errorf("outbox: stuck in %s: %w", o.db.Schema(), err)
	}
	return s, nil
}

// queryTimeout is how long an event may fail before it needs a person.
const queryTimeout = 5 * time.Minute
