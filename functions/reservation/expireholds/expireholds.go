// Package expireholds writes down that holds are over, and tells the world.
package expireholds

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/postgres"
)

// Function closes the holds whose time has run out. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:     "reservation-expireholds",
	Schedule: "* * * * *",
	Uses:     fn.Uses{fn.Postgres},
	Emits:    fn.Emits{reservation.HoldExpiredV1},
	Timeout:  50 * time.Second,
}, New)

// batch bounds one look, so that a backlog never holds much in memory.
const batch = 200

type sweeper struct {
	reservations reservation.Reservations
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	return (&sweeper{reservation.OpenReservations(e)}).sweep, nil
}

// sweep closes batches until one comes back short. Each hold is its own transaction inside its own tenant: a run that is
// cut off loses nothing and repeats nothing, and two runs share the work. One hold that cannot be closed keeps no other
// open, but ends the run after its batch.
func (s *sweeper) sweep(ctx context.Context, _ time.Time) error {
	for {
		due, err := s.reservations.Due(ctx, batch)
		if err != nil {
			return err
		}
		var failed []error
		for _, d := range due {
			failed = append(failed, s.expire(ctx, d))
		}
		if err := errors.Join(failed...); err != nil || len(due) < batch {
			return err
		}
	}
}

func (s *sweeper) expire(ctx context.Context, d reservation.Due) error {
	return s.reservations.In(ctx, d.Tenant, func(tx postgres.Tx) error {
		r, err := s.reservations.Lock(ctx, tx, d.Tenant, d.Reservation)
		if err != nil {
			return err
		}
		if err := r.Expire(); err != nil {
			return nil // somebody was faster: it is confirmed, cancelled or expired by now
		}
		return s.reservations.Save(ctx, tx, r, reservation.HoldRanOut(r))
	})
}
