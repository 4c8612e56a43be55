// Package watchsagas repeats saga steps whose answer did not come.
package watchsagas

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function repeats steps that have waited for more than a minute. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:     "reservation-watchsagas",
	Schedule: "* * * * *",
	Uses: fn.Uses{
		fn.Postgres, fn.Upstream("inventory"), fn.Upstream("payment"), fn.Upstream("pricing"), fn.Upstream("property"), fn.Upstream("lock"),
	},
	Publishes: fn.Subjects{booking.ConfirmedV1, booking.CancelledV1, booking.CheckedInV1, booking.ModifiedV1, booking.DatesChangedV1},
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	return fn.Sweep(booking.OpenReservations(e).StuckSteps, booking.OpenWatcher(e, platform.Open(e)).Retry), nil
}
