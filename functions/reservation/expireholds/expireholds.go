// Package expireholds closes expired holds and publishes their events.
package expireholds

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function closes expired holds. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "reservation-expireholds",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{booking.HoldExpiredV1},
	Timeout:   50 * time.Second,
}, New)

type handler struct {
	reservations booking.Reservations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	h := &handler{booking.OpenReservations(e)}
	return fn.Sweep(h.reservations.Due, h.expire), nil
}

// expire closes one hold in a transaction of its tenant.
func (h *handler) expire(ctx context.Context, d booking.Due) error {
	return h.reservations.In(ctx, d.Tenant, func(tx postgres.Tx) error {
		r, err := h.reservations.Lock(ctx, tx, access.Scope{Tenant: d.Tenant}, d.Reservation)
		if err != nil {
			return err
		}
		if err := r.Expire(); err != nil {
			return nil // already confirmed, cancelled or expired
		}
		return h.reservations.Save(ctx, tx, r, booking.HoldRanOut(r))
	})
}
