// Package expireholds writes down that holds are over, and tells the world.
package expireholds

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function closes the holds whose time has run out. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "reservation-expireholds",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{reservation.HoldExpiredV1},
	Timeout:   50 * time.Second,
}, New)

type sweeper struct {
	reservations reservation.Reservations
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	s := &sweeper{reservation.OpenReservations(e)}
	return fn.Sweep(s.reservations.Due, s.expire), nil
}

// expire closes one hold, inside its own tenant.
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
