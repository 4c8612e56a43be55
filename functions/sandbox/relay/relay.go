// Package relay publishes what the sandbox's own functions could not publish themselves.
package relay

import (
	"time"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function empties the outbox. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "sandbox-relay",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: sandbox.Publishes(), // whoever publishes an event needs the right to
	Timeout:   50 * time.Second,
}, New)

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Tick, error) {
	return outbox.Open(e, postgres.Open(e, sandbox.Schema)).Tick, nil
}
