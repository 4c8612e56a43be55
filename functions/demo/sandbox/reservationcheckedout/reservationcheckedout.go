// Package reservationcheckedout revokes the keys of a guest who has left.
package reservationcheckedout

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.reservation.checked_out.v1.
var Function = sandbox.Event(fn.Spec{
	Name:    "sandbox-reservationcheckedout",
	Subject: "melmastoon.reservation.checked_out.v1",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 10 * time.Second,
}, New)

// CheckedOut is the part of the event that this function reads.
type CheckedOut struct {
	Reservation id.Reservation `json:"reservationId"`
	At          time.Time      `json:"checkedOutAt"` // a late delivery keeps the keys of a later check-in
}

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.Effect[CheckedOut], error) {
	keys := lock.OpenKeys(e)
	return func(ctx context.Context, tx postgres.Tx, e event.Event[CheckedOut]) error {
		return keys.RevokeBefore(ctx, tx, e.Payload.Reservation, e.Payload.At)
	}, nil
}
