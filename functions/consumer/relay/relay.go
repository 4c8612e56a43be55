// Package relay publishes outbox rows that the writing functions did not publish themselves.
package relay

import (
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function publishes the outbox. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "consumer-relay",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: session.Publishes(), // a publisher needs the permission for each subject
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	return outbox.Open(e, postgres.Open(e, session.Schema)).Tick, nil
}
