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
	lease = 1500 * time.Millisecond // so long a new process waits for one that was killed
	grace = 5 * time.Second         // for pushes in flight when Run is told to stop
)

// Run pushes until ctx ends; then it lets the pushes in flight finish. One process at a time pushes on a database, the
// others stand by. While the database is away it waits for it.
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

// unless leaves out the error of a statement that was only cut off because the work is over.
func unless(over, err error) error {
	if over != nil {
		return over
	}
	return err
}

// A run is one Run.
type run struct {
	*Bus
	life     context.Context // outlives ctx until what is in flight has finished
	leading  bool
	doubt    bool // an error may have cost us the answer to a claim, or the database a settlement that it had not on disk
	inFlight sync.WaitGroup

	mu      sync.Mutex
	pushing map[claimed]bool
}

// A claimed delivery, by what identifies it.
type claimed struct {
	subscription string
	seq          int64
}

// lead makes this the one that pushes, or finds that somebody else is.
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

// stop waits for what is in flight and lets the next one lead at once.
func (r *run) stop(end context.CancelFunc) error {
	failed := r.hold(r.life, grace+r.lease)
	timer := time.AfterFunc(grace, end)
	defer timer.Stop()
	r.inFlight.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.life), r.lease)
	defer cancel()
	return errors.Join(failed, r.hold(ctx, 0))
}

// hold changes how long the lease lasts, if it is ours.
func (r *run) hold(ctx context.Context, lasting time.Duration) error {
	if !r.leading {
		return nil
	}
	return r.lead(ctx, lasting)
}

// round starts pushing what is owed, as far as there is room.
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

// reclaim makes deliveries due again that are ours in the database and that are not being pushed.
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

// kept is how long a message can be read with Tail. One that is still owed to somebody is kept longer.
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
