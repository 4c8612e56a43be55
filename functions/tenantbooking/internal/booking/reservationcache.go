package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// ReservationCache caches confirmed reservations for five minutes: guests read them often, and they seldom change. No event
// invalidates them.
type ReservationCache struct {
	reservations Reservations
	cache        *cache.Cache[Reservation]
}

// OpenReservationCache returns ReservationCache with its client and cache.
func OpenReservationCache(e env.Env) ReservationCache {
	return ReservationCache{OpenReservations(e), cache.Open[Reservation](e, "confirmation", cache.Policy{Fresh: 5 * time.Minute, Stale: 5 * time.Minute})}
}

// Get returns a confirmed reservation and its cache state. It returns ErrNotFound for other reservations, and does not
// cache that, because they may be confirmed at any moment.
func (b ReservationCache) Get(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, cache.State, error) {
	return b.cache.Fetch(ctx, document.KeyOf(t.String(), r.String()), nil, func(ctx context.Context) (Reservation, error) {
		found, err := b.reservations.Get(ctx, t, r)
		if err == nil && (!found.Booked() || found.Tenant != t) {
			err = ErrNotFound
		}
		return found, err
	})
}
