// Package reservationconfirmed counts the bookings of a hotel for its popularity signals.
package reservationconfirmed

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.reservation.confirmed.v1.
var Function = sandbox.Event(fn.Spec{
	Name:    "sandbox-reservationconfirmed",
	Subject: "melmastoon.reservation.confirmed.v1",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 10 * time.Second,
}, New)

// Confirmed is the part of the event that this function reads.
type Confirmed struct {
	Reservation id.Reservation `json:"reservationId"`
	Property    id.Property    `json:"propertyId"`
	At          time.Time      `json:"confirmedAt"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.Effect[Confirmed], error) {
	demand := search.OpenDemand(e)
	return func(ctx context.Context, tx postgres.Tx, e event.Event[Confirmed]) error {
		booked := search.Booking{Tenant: *e.Delivery.Tenant, Property: e.Payload.Property, Reservation: e.Payload.Reservation}
		return demand.Confirmed(ctx, tx, booked, e.Payload.At)
	}, nil
}
