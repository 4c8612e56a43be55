// Package sweepnoshows records the guests who did not come until the end of the grace period.
package sweepnoshows

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function records no-shows. The scheduler calls it every 15 minutes.
var Function = fn.Scheduled(fn.Spec{
	Name:      "reservation-sweepnoshows",
	Schedule:  "*/15 * * * *",
	Uses:      fn.Uses{fn.Postgres, fn.Upstream("payment"), fn.Upstream("inventory")},
	Publishes: fn.Subjects{booking.NoShowV1, booking.ModifiedV1},
	Timeout:   50 * time.Second,
}, New)

type handler struct {
	reservations booking.Reservations
	changer      *booking.Changer
	learn        func(context.Context, *booking.Reservation) error // sets the amount already refunded
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	up := platform.Open(e)
	h := &handler{booking.OpenReservations(e), booking.OpenChanger(e, up), up.Payments.Learn}
	return fn.Sweep(h.reservations.Awaited, h.miss), nil
}

// miss records one no-show, unless the guest has arrived or cancelled, or is not late yet by the property's clock.
func (h *handler) miss(ctx context.Context, c booking.Candidate) error {
	return booking.Again(ctx, func() error {
		r, err := h.reservations.Get(ctx, access.Scope{Tenant: c.Tenant}, c.Reservation)
		if err != nil || !r.Overdue(r.AsOf) {
			return err
		}
		if r.CheckIn != nil { // some guests of the reservation have come
			_, _, _, err := h.changer.MissRooms(ctx, booking.SweptRooms(r), booking.MissBySweep())
			return err
		}
		if err := h.learn(ctx, r); err != nil {
			return err
		}
		if _, err := r.Miss(booking.MissBySweep(), r.AsOf); err != nil {
			return err
		}
		return h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) error {
			return h.reservations.Save(ctx, tx, r, booking.GuestMissed(r))
		})
	})
}
