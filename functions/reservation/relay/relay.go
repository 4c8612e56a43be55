// Package relay publishes outbox rows that the writing functions did not publish themselves.
package relay

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function publishes the outbox. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "reservation-relay",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: booking.Publishes(), // publishing requires the permission for each topic
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	return outbox.Open(e, postgres.Open(e, service.Schema)).Tick, nil
}
