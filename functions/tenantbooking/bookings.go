package tenantbooking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Bookings remembers confirmed reservations for five minutes: guests look at them often, and they hardly change.
type Bookings struct {
	reservations Reservations
	known        *cache.Cache[Reservation]
}

// OpenBookings opens the client and its memory.
func OpenBookings(e env.Env) Bookings {
	return Bookings{OpenReservations(e), cache.Open[Reservation](e, "confirmation", cache.Policy{Fresh: 5 * time.Minute, Stale: 5 * time.Minute})}
}

// Get returns a reservation that was confirmed, and how it was found. Others are ErrNotFound, and not remembered: the next
// moment may confirm them.
func (b Bookings) Get(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, cache.State, error) {
	return b.known.Fetch(ctx, document.KeyOf(t.String(), r.String()), []cache.Epoch{cache.OfTenant(t)}, func(ctx context.Context) (Reservation, error) {
		found, err := b.reservations.Get(ctx, t, r)
		if err == nil && (!found.Booked() || found.Tenant != t) {
			err = ErrNotFound
		}
		return found, err
	})
}
