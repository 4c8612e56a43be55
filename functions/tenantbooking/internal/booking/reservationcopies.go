package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	forwarding "melmastoon.ghasi.io/shared/platform/forward"
)

// copyTTL is how long after a read the copy of a reservation may be shown.
const copyTTL = 10 * time.Minute

// fallbackTime is the part of a request's time that is left for reading the copy if the reservation service does not respond.
const fallbackTime = 100 * time.Millisecond

// ReservationCopies reads booked reservations for their guests: always from the reservation service, because the front desk, a payment or
// the guest may change them at any moment. It keeps a copy of each reservation that it has read, which it returns only while the
// reservation service is unavailable (stale-if-error).
type ReservationCopies struct {
	reservations Reservations
	copies       document.Collection[Reservation]
	env          env.Env
	fallbackTime time.Duration
}

// OpenReservationCopies returns ReservationCopies with its client and store.
func OpenReservationCopies(e env.Env) ReservationCopies {
	return ReservationCopies{OpenReservations(e), document.Open[Reservation](e, "reservation-copy"), e, e.Timeout(fallbackTime)}
}

// Get returns a booked reservation, with the state Stale if it is a copy. It returns ErrNotFound for other reservations.
func (c ReservationCopies) Get(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, cache.State, error) {
	began := c.env.Now()
	found, err := c.current(ctx, t, r)
	if _, ok := forwarding.Of(ctx); ok { // the response may depend on the header
		return found, cache.Bypass, err
	}
	key := document.KeyOf(t.String(), r.String())
	if err == nil {
		// Without a copy, a guest only sees an error if the reservation service fails next. The read that began last is kept.
		_, _ = c.copies.Put(ctx, key, found, began.UnixMicro(), began.Add(copyTTL))
		return found, cache.Miss, nil
	}
	if f := fault.From(err); f.Kind.Status() >= 500 || f.Retriable() {
		if last, ok, readErr := c.copies.Get(ctx, key); ok && readErr == nil {
			return last, cache.Stale, nil
		}
	}
	return found, cache.Miss, err
}

// current calls the reservation service, and leaves time for reading the copy.
func (c ReservationCopies) current(ctx context.Context, t id.Tenant, r id.Reservation) (Reservation, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-c.fallbackTime))
		defer cancel()
	}
	return c.reservations.GetBooked(ctx, t, r)
}
