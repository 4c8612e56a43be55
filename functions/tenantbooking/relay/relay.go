// Package relay publishes the outbox rows of the writing functions.
package relay

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function publishes the outbox. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "tenantbooking-relay",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: subject.All(), // grants the relay the right to publish them
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	return outbox.Open(e, postgres.Open(e, tenantbooking.Schema)).Tick, nil
}
