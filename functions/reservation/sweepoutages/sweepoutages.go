// Package sweepoutages gives guests other rooms when theirs goes out of order during the stay.
//
// The guest keeps the room until the business date of the outage. The other room must be free until the day of
// departure, also if the outage ends earlier; while no room is free, each tick tries again.
package sweepoutages

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function moves guests out of rooms whose outage has begun. The scheduler calls it every 15 minutes.
var Function = fn.Scheduled(fn.Spec{
	Name:     "reservation-sweepoutages",
	Schedule: "*/15 * * * *",
	Uses: fn.Uses{
		fn.Postgres, fn.Upstream("property"), fn.Upstream("tenant"), fn.Upstream("lock"), fn.Upstream("inventory"), fn.Upstream("pricing"),
		fn.Upstream("payment"),
	},
	Publishes: fn.Subjects{booking.ModifiedV1, booking.DatesChangedV1, booking.CheckedInV1},
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	return fn.Sweep(booking.OpenReservations(e).BegunOutages, booking.OpenMover(e, platform.Open(e)).Sweep), nil
}
