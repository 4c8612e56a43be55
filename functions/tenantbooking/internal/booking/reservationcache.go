package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// ReservationCache caches confirmed reservations for five minutes: guests read them often, and they seldom change. A change by the
// guest invalidates the cached value. Events do not, so a change at the front desk becomes visible when the value expires.
type ReservationCache struct {
	reservations Reservations
	cache        *cache.Cache[Reservation]
	env          env.Env
}

// OpenReservationCache returns ReservationCache with its client and cache.
func OpenReservationCache(e env.Env) ReservationCache {
	policy := cache.Policy{Fresh: 5 * time.Minute, Stale: 5 * time.Minute}
	return ReservationCache{OpenReservations(e), cache.Open[Reservation](e, "confirmation", policy), e}
}

// ofReservation returns the epoch on which the cached reservation depends.
func ofReservation(t id.Tenant, r id.Reservation) cache.Epoch {
	return cache.Of(t.String(), "reservation", r.String())
}

// Get returns a confirmed reservation and its cache state. It returns ErrNotFound for other reservations, and does not
// cache that, because they may be confirmed at any moment.
func (b ReservationCache) Get(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, cache.State, error) {
	return b.cache.Fetch(ctx, document.KeyOf(t.String(), r.String()), []cache.Epoch{ofReservation(t, r)}, func(ctx context.Context) (Reservation, error) {
		return b.Current(ctx, t, r)
	})
}

// Current reads a confirmed reservation from the reservation service, past the cache. It returns ErrNotFound for other reservations.
func (b ReservationCache) Current(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, error) {
	found, err := b.reservations.Get(ctx, t, r)
	if err == nil && (!found.Booked() || found.Tenant != t) {
		err = ErrNotFound
	}
	return found, err
}

// Cancel calls [Reservations.Cancel]. It does not invalidate the cached reservation: the caller must call Changed.
func (b ReservationCache) Cancel(ctx context.Context, r Reservation, c CancelRequest, key string) (Reservation, Cancellation, error) {
	return b.reservations.Cancel(ctx, r, c, key)
}

// Changed invalidates the cached reservation. After an error the caller must call it again, or Get returns the old state for up to
// five minutes.
func (b ReservationCache) Changed(ctx context.Context, r Reservation) error {
	return cache.Invalidate(ctx, b.env, ofReservation(r.Tenant, r.ID))
}
