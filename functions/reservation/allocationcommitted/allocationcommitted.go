// Package allocationcommitted records that inventory has published an allocation of a hold.
package allocationcommitted

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.inventory.allocation.committed.v1.
var Function = reservation.Event(fn.Spec{
	Name:    "reservation-allocationcommitted",
	Subject: "melmastoon.inventory.allocation.committed.v1",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 10 * time.Second,
}, New)

// Taken is the part of the event that this function reads.
type Taken struct {
	Reservation id.Reservation `json:"reservationId"`
	Allocation  id.Allocation  `json:"allocationId"`
	ExpiresAt   time.Time      `json:"expiresAt,omitzero"`
}

type recorder struct {
	db           *postgres.DB
	reservations booking.Reservations
	now          func() time.Time
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Handle[Taken], error) {
	return (&recorder{
		db:           postgres.Open(e, booking.Schema),
		reservations: booking.OpenReservations(e),
		now:          e.Now,
	}).record, nil
}

// Inventory publishes at once, so an event often arrives some milliseconds before its reservation is stored. It waits for a second,
// because 503 means that a store is down, and alerts count it.
const (
	looks = 20
	pause = 50 * time.Millisecond
)

func (n *recorder) record(ctx context.Context, e event.Event[Taken]) error {
	err := n.recordNow(ctx, e)
	// After the hold has expired the reservation will never exist.
	early := func() bool { return errors.Is(err, booking.ErrNotFound) && n.now().Before(e.Payload.ExpiresAt) }
	for range looks {
		if !early() || env.Wait(ctx, pause) != nil {
			break
		}
		err = n.recordNow(ctx, e)
	}
	switch {
	case early():
		return fault.ErrUnavailable.Because(err) // tried again until the hold expires
	case errors.Is(err, booking.ErrNotFound):
		return nil
	}
	return err
}

func (n *recorder) recordNow(ctx context.Context, e event.Event[Taken]) error {
	return inbox.Once(ctx, n.db, e.Delivery, func(tx postgres.Tx) error {
		return n.reservations.RoomsTaken(ctx, tx, *e.Delivery.Tenant, e.Payload.Reservation, e.Payload.Allocation)
	})
}
