package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Bookings caches confirmed reservations for five minutes: guests read them often, and they seldom change.
type Bookings struct {
	reservations Reservations
	known        *cache.Cache[Reservation]
}

// OpenBookings returns Bookings with its client and cache.
func OpenBookings(e env.Env) Bookings {
	return Bookings{OpenReservations(e), cache.Open[Reservation](e, "confirmation", cache.Policy{Fresh: 5 * time.Minute, Stale: 5 * time.Minute})}
}

// Get returns a confirmed reservation and its cache state. It returns ErrNotFound for other reservations, and does not
// cache that, because they may be confirmed at any moment.
func (b Bookings) Get(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, cache.State, error) {
	return b.known.Fetch(ctx, document.KeyOf(t.String(), r.String()), []cache.Epoch{cache.OfTenant(t)}, func(ctx context.Context) (Reservation, error) {
		found, err := b.reservations.Get(ctx, t, r)
		if err == nil && (!found.Booked() || found.Tenant != t) {
			err = ErrNotFound
		}
		return found, err
	})
}
