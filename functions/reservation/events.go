package reservation

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Once returns the transaction in which a use case handles an event: a repeated delivery writes nothing.
func Once(db *postgres.DB, d event.Delivery) booking.Within {
	return func(ctx context.Context, write func(postgres.Tx) error) error { return inbox.Once(ctx, db, d, write) }
}

// A KeyReport is the part of the lock service's events that this service reads.
type KeyReport struct {
	Reservation id.Reservation   `json:"reservationId"`
	Item        id.Item          `json:"itemId"`
	Room        id.Room          `json:"roomId"`
	Key         id.KeyCredential `json:"keyCredentialId"`
}

// RecordKey returns the handler of a key report, which records the status.
func RecordKey(e env.Env, status booking.KeyStatus) fn.Handle[KeyReport] {
	db, keys := postgres.Open(e, service.Schema), booking.OpenIssuer(e, platform.Open(e))
	return func(ctx context.Context, e event.Event[KeyReport]) error {
		p := e.Payload
		key := booking.Key{ID: p.Key, Item: p.Item, Room: p.Room, Status: status}
		err := keys.Report(ctx, access.Scope{Tenant: *e.Delivery.Tenant}, p.Reservation, key, Once(db, e.Delivery))
		if errors.Is(err, booking.ErrNotFound) {
			return fn.DeadLetter(err)
		}
		return err
	}
}
