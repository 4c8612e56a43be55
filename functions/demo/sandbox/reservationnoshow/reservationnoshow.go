// Package reservationnoshow releases the rooms, refunds the payments and revokes the keys of a guest who did not come.
package reservationnoshow

import (
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/settlement"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.reservation.no_show.v1.
var Function = sandbox.Event(fn.Spec{
	Name:      "sandbox-reservationnoshow",
	Subject:   "melmastoon.reservation.no_show.v1",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionRefundedV1},
	Timeout:   10 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.Effect[settlement.Settlement], error) {
	return settlement.Settle(e, "no-show"), nil
}
