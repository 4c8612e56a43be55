// Package relay publishes what the sandbox's own functions could not publish themselves.
package relay

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/outbox"
	"melmastoon.ghasi.io/shared/postgres"
)

// Function empties the outbox. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:     "sandbox-relay",
	Schedule: "* * * * *",
	Uses:     fn.Uses{fn.Postgres},
	Timeout:  50 * time.Second,
	Emits: fn.Emits{sandbox.AllocationCommittedV1, sandbox.AllocationFailedV1, sandbox.TransactionCapturedV1,
		sandbox.TransactionFailedV1, sandbox.TransactionRefundedV1, sandbox.TenantSuspendedV1, sandbox.TenantReinstatedV1,
		sandbox.TenantConfigUpdatedV1, sandbox.ThemePublishedV1, sandbox.RatePlanPublishedV1, sandbox.ListingIndexedV1},
}, New)

type relayer struct {
	outbox *outbox.Outbox
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	return (&relayer{outbox.Open(e, postgres.Open(e, sandbox.Schema))}).relay, nil
}

func (r *relayer) relay(ctx context.Context, _ time.Time) error {
	_, err := r.outbox.Relay(ctx)
	return err
}
