package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

const (
	width = 16                      // pushes in flight per subscription
	beat  = 500 * time.Millisecond  // between renewals of the lease
	lease = 1500 * time.Millisecond // a new process waits that long after another was killed
	grace = 5 * time.Second         // for pushes in flight when Run stops
)

// Run pushes deliveries until ctx ends; then it waits for the pushes in flight. One process at a time pushes per database; the
// others wait for its lease to expire. While the database is unavailable, Run retries.
func (b *Bus) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	r := &run{Bus: b, life: life, pushing: map[claimed]bool{}}
	renew, look, tidy := time.NewTicker(beat), time.NewTicker(poll), time.NewTicker(time.Hour)
	defer renew.Stop()
	defer look.Stop()
	defer tidy.Stop()
	err := errors.Join(b.forget(ctx), r.lead(ctx, r.lease))
	for ctx.Err() == nil && (err == nil || errors.Is(err, fault.ErrUnavailable)) {
		if err == nil && r.leading {
			err = r.round(ctx)
		}
		r.doubt = r.doubt || err != nil
		select {
		case <-ctx.Done():
		case <-b.wake:
		case <-look.C:
		case <-renew.C:
			err = r.lead(ctx, r.lease)
		case <-tidy.C:
			err = b.forget(ctx)
		}
	}
	return errors.Join(r.stop(end), unless(ctx.Err(), err))
}

// unless returns over if it is not nil, because err is then only a consequence of it.
func unless(over, err error) error {
	if over != nil {
		return over
	}
	return err
}

// A run holds the state of one call of Run.
type run struct {
	*Bus
	life     context.Context // outlives ctx until what is in flight has finished
	leading  bool
	doubt    bool // an error may have lost the answer to a claim, or a settlement that the database had not flushed
	inFlight sync.WaitGroup

	mu      sync.Mutex
	pushing map[claimed]bool
}

// claimed identifies a claimed delivery.
type claimed struct {
	subscription string
	seq          int64
}

// lead acquires or renews the pusher's lease, and sets r.leading.
func (r *run) lead(ctx context.Context, lasting time.Duration) error {
	err := r.db.InTx(ctx, func(tx postgres.Tx) error {
		tag, err := tx.Last().Exec(ctx, `
			UPDATE bus.pusher SET holder = @self, leased_until = clock_timestamp() + @lasting
			WHERE holder = @self OR leased_until < clock_timestamp()`,
			pgx.StrictNamedArgs{"self": r.self, "lasting": lasting})
		r.leading = tag.RowsAffected() == 1
		return err
	})
	if err != nil {
		return fmt.Errorf("bus: lead: %w", err)
	}
	return nil
}

// stop waits for the pushes in flight and releases the lease.
func (r *run) stop(end context.CancelFunc) error {
	failed := r.hold(r.life, grace+r.lease)
	timer := time.AfterFunc(grace, end)
	defer timer.Stop()
	r.inFlight.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.life), r.lease)
	defer cancel()
	return errors.Join(failed, r.hold(ctx, 0))
}

// hold changes the duration of the lease, if this instance holds it.
func (r *run) hold(ctx context.Context, lasting time.Duration) error {
	if !r.leading {
		return nil
	}
	return r.lead(ctx, lasting)
}

// round claims due deliveries, up to width per subscription, and starts pushing them.
func (r *run) round(ctx context.Context) error {
	if r.doubt {
		if err := r.reclaim(ctx); err != nil {
			return err
		}
		r.doubt = false
	}
	deliveries, err := r.claim(ctx)
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		r.note(d, true)
		r.inFlight.Go(func() {
			r.settle(r.life, d, r.push(r.life, d))
			r.note(d, false)
			r.poke()
		})
	}
	return nil
}

func (r *run) note(d delivery, pushing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := claimed{d.subscription.Name, d.Seq}
	if pushing {
		r.pushing[c] = true
	} else {
		delete(r.pushing, c)
	}
}

// reclaim releases deliveries that the database assigns to this instance but that it is not pushing.
func (r *run) reclaim(ctx context.Context) error {
	r.mu.Lock()
	var subscriptions []string
	var seqs []int64
	for c := range r.pushing {
		subscriptions, seqs = append(subscriptions, c.subscription), append(seqs, c.seq)
	}
	r.mu.Unlock()
	err := r.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			UPDATE bus.deliveries AS d SET pusher = NULL
			WHERE d.pusher = @self AND NOT EXISTS (
				SELECT FROM unnest(@subscriptions::text[], @seqs::bigint[]) AS p (subscription, seq)
				WHERE p.subscription = d.subscription AND p.seq = d.seq)`,
			pgx.StrictNamedArgs{"self": r.self, "subscriptions": subscriptions, "seqs": seqs})
		return err
	})
	if err != nil {
		return fmt.Errorf("bus: reclaim: %w", err)
	}
	return nil
}

// kept is the retention of messages for Tail. Messages with pending deliveries are kept longer.
const kept = 7 * 24 * time.Hour

func (b *Bus) forget(ctx context.Context) error {
	err := b.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Last().Exec(ctx, `
			DELETE FROM bus.messages m
			WHERE m.published_at < platform.now() - @kept::interval
			  AND NOT EXISTS (SELECT FROM bus.deliveries d WHERE d.seq = m.seq)`,
			pgx.StrictNamedArgs{"kept": kept})
		return err
	})
	if err != nil {
		return fmt.Errorf("bus: forget: %w", err)
	}
	return nil
}
