// Package keyissued records issued keys and completes the check-ins that wait for them.
package keyissued

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.lock_integration.key_credential.issued.v1.
var Function = reservation.Event(fn.Spec{
	Name:         "reservation-keyissued",
	Subject:      "melmastoon.lock_integration.key_credential.issued.v1",
	Uses:         fn.Uses{fn.Postgres, fn.Upstream("lock")},
	Publishes:    fn.Subjects{booking.CheckedInV1},
	Timeout:      10 * time.Second,
	MaxInstances: 1, // rare
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[reservation.KeyReport], error) {
	return reservation.RecordKey(e, booking.KeyIssued), nil
}
