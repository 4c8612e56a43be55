// Package expireintents closes expired payment intents.
package expireintents

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function closes expired intents and publishes their events. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "sandbox-expireintents",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionFailedV1},
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	intents := payment.OpenIntents(e)
	return fn.Sweep(intents.Due, func(ctx context.Context, due payment.DueIntent) error {
		_, err := intents.Expire(ctx, due.ID)
		return err
	}), nil
}
