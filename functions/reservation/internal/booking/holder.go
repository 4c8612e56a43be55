package booking

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Holder holds the rooms of quotes.
type Holder struct {
	Quotes       quotes.Store
	Reservations Reservations
	Place        func(context.Context, *Reservation, Hold) (HoldResult, error) // asks the inventory service
	Release      func(context.Context, *Reservation, []id.Allocation) error    // asks the inventory service
	Settings     func(context.Context, id.Tenant) quotes.Settings              // returns a tenant's settings
}

// OpenHolder opens a Holder with its stores and clients.
func OpenHolder(e env.Env, up Upstreams) *Holder {
	return &Holder{
		Quotes: quotes.OpenStore(e), Reservations: OpenReservations(e), Place: up.Inventory.Hold, Release: up.Inventory.Release, Settings: up.Settings,
	}
}

// Hold stores a reservation of a quote whose rooms inventory holds, once per act. It replaces the given hold, if any. It returns
// ErrOverbooked if the rooms are not available, and ErrTooMuchHeld if they do not fit into the quota.
func (h *Holder) Hold(ctx context.Context, by access.Principal, quote id.Quote, d Details, replaced *id.Reservation) (*Reservation, error) {
	// An earlier attempt of this act may have succeeded without answering.
	done, err := h.Reservations.Get(ctx, by.Scope, ReservationID(d.Act))
	if !errors.Is(err, ErrNotFound) {
		return done, err
	}
	q, err := h.Quotes.Get(ctx, by.Scope, quote)
	if err != nil {
		return nil, err
	}
	d.TTL = h.Settings(ctx, by.Tenant).HoldTTL
	r, err := Reserve(q, d)
	if err != nil {
		return nil, err
	}
	if r.Hold.Replaces, err = h.replaces(ctx, by, r, replaced); err != nil {
		return nil, err
	}
	// A hold beyond the quota takes no room and ends no replaced hold. Only a concurrent hold can still be counted first, below.
	if err := h.Reservations.Admit(ctx, r, replaced); err != nil {
		return nil, err
	}
	// No transaction is open during this call. If saving fails below, the rooms become free when the hold expires.
	placed, err := h.Place(ctx, r, r.Hold)
	if err != nil {
		return nil, err
	}
	if err := r.StartHold(placed); err != nil {
		return nil, err
	}
	err = h.Reservations.Book(ctx, by, r, replaced)
	if errors.Is(err, ErrTooMuchHeld) {
		_ = h.Release(ctx, r, r.Hold.Allocations) // if this fails, they become free when the hold expires
	}
	return r, err
}

// replaces returns the rooms of a hold that the new one replaces, so that a guest who holds the last room can have it for longer. It
// returns ErrNotFound if the hold is another guest's.
func (h *Holder) replaces(ctx context.Context, by access.Principal, r *Reservation, replaced *id.Reservation) ([]id.Allocation, error) {
	if replaced == nil {
		return nil, nil
	}
	old, err := h.Reservations.Get(ctx, by.Scope, *replaced)
	if err == nil && !old.sharesGuest(r) {
		err = ErrNotFound
	}
	if err != nil || old.EffectiveState() != Held {
		return nil, err
	}
	return old.Hold.Allocations, nil
}
