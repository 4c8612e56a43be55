package reservation

import (
	"context"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Book writes a new reservation, and in the same transaction gives up the hold that it replaces, so that a guest never
// has both or neither. A replaced hold that is over or cancelled is left alone; one that was confirmed meanwhile is not
// for replacing.
func (s Reservations) Book(ctx context.Context, by Principal, r *Reservation, replaced *id.Reservation) error {
	if replaced == nil {
		return s.In(ctx, r.Tenant, func(tx postgres.Tx) error { return s.Add(ctx, tx, r) })
	}
	return Again(ctx, func() error {
		old, err := s.Get(ctx, by.Scope, *replaced)
		if err != nil {
			return err
		}
		if !old.sharesGuest(r) {
			return ErrNotFound
		}
		return s.exchange(ctx, old, r)
	})
}

// sharesGuest reports whether both come from one session or one draft. Without either they count as different guests'.
func (r *Reservation) sharesGuest(other *Reservation) bool {
	return r.Session != nil && other.Session != nil && *r.Session == *other.Session ||
		r.Draft != nil && other.Draft != nil && *r.Draft == *other.Draft
}

func (s Reservations) exchange(ctx context.Context, old, r *Reservation) error {
	standing := old.EffectiveState()
	if standing == Held {
		if err := old.Replace(r.CreatedBy, r.PlacedAt); err != nil {
			return err
		}
	} else if standing != ExpiredHold && standing != Cancelled {
		return ErrIllegalTransition
	}
	return s.In(ctx, r.Tenant, func(tx postgres.Tx) error {
		if err := s.Add(ctx, tx, r); err != nil || standing != Held {
			return err
		}
		return s.Save(ctx, tx, old, BookingCancelled(old))
	})
}
