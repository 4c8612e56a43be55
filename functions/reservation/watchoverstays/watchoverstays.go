// Package watchoverstays publishes the nights that guests stay beyond their day of departure.
package watchoverstays

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function publishes overstayed nights. The scheduler calls it every 15 minutes.
var Function = fn.Scheduled(fn.Spec{
	Name:      "reservation-watchoverstays",
	Schedule:  "*/15 * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{booking.OverstayedV1},
	Timeout:   50 * time.Second,
}, New)

type handler struct {
	reservations booking.Reservations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	h := &handler{booking.OpenReservations(e)}
	return fn.Sweep(h.reservations.Leaving, h.record), nil
}

// record publishes the nights of one guest that were not published before, in a transaction of its tenant.
func (h *handler) record(ctx context.Context, c booking.Candidate) error {
	return h.reservations.In(ctx, c.Tenant, func(tx postgres.Tx) error {
		r, err := h.reservations.Lock(ctx, tx, access.Scope{Tenant: c.Tenant}, c.Reservation)
		if err != nil {
			return err
		}
		var events []event.Draft
		for r.Overstay(r.AsOf) {
			events = append(events, booking.GuestOverstayed(r))
		}
		if events == nil {
			return nil
		}
		return h.reservations.Save(ctx, tx, r, events...)
	})
}
