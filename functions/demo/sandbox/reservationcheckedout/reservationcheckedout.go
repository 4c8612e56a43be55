// Package reservationcheckedout revokes the keys of a guest who has left.
package reservationcheckedout

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
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

type handler struct {
	db   *postgres.DB
	keys lock.Keys
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Handle[CheckedOut], error) {
	return (&handler{postgres.Open(e, standin.Schema), lock.OpenKeys(e)}).revoke, nil
}

func (h *handler) revoke(ctx context.Context, e event.Event[CheckedOut]) error {
	return inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		return h.keys.RevokeBefore(ctx, tx, e.Payload.Reservation, e.Payload.At)
	})
}
