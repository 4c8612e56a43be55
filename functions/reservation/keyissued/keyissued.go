// Package keyissued records issued keys and completes the check-ins that wait for them.
package keyissued

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.lock_integration.key_credential.issued.v1.
var Function = reservation.Event(fn.Spec{
	Name:         "reservation-keyissued",
	Subject:      "melmastoon.lock_integration.key_credential.issued.v1",
	Uses:         fn.Uses{fn.Postgres, fn.Upstream("lock")},
	Publishes:    fn.Subjects{booking.CheckedInV1},
	Timeout:      10 * time.Second,
	MaxInstances: 1, // rare
}, New)

// Issued is the part of the event that this function reads.
type Issued struct {
	Reservation id.Reservation   `json:"reservationId"`
	Item        id.Item          `json:"itemId"`
	Room        id.Room          `json:"roomId"`
	Key         id.KeyCredential `json:"keyCredentialId"`
}

type recorder struct {
	db   *postgres.DB
	keys *booking.Issuer
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Handle[Issued], error) {
	return (&recorder{postgres.Open(e, booking.Schema), booking.OpenIssuer(e)}).record, nil
}

func (f *recorder) record(ctx context.Context, e event.Event[Issued]) error {
	p := e.Payload
	key := booking.Key{ID: p.Key, Item: p.Item, Room: p.Room, Status: booking.KeyIssued}
	err := f.keys.Report(ctx, booking.Scope{Tenant: *e.Delivery.Tenant}, p.Reservation, key, func(ctx context.Context, write func(postgres.Tx) error) error {
		return inbox.Once(ctx, f.db, e.Delivery, write)
	})
	if errors.Is(err, booking.ErrNotFound) {
		return fn.DeadLetter(err)
	}
	return err
}
