// Package relay publishes outbox rows that the writing functions did not publish themselves.
package relay

import (
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/iam"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function publishes the outbox. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:     "sandbox-relay",
	Schedule: "* * * * *",
	Uses:     fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{ // publishing requires the permission for each topic
		inventory.AllocationCommittedV1, inventory.AllocationFailedV1,
		payment.TransactionCapturedV1, payment.TransactionFailedV1, payment.TransactionRefundedV1,
		directory.TenantSuspendedV1, directory.TenantReinstatedV1, directory.TenantConfigUpdatedV1, directory.TenantSettingsChangedV1,
		directory.ThemePublishedV1, directory.RoomTakenOutV1, pricing.RatePlanPublishedV1, search.ListingIndexedV1,
		lock.KeyIssuedV1, lock.KeyFailedV1, iam.SessionRevokedV1,
	},
	Timeout: 50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	return outbox.Open(e, postgres.Open(e, standin.Schema)).Tick, nil
}
