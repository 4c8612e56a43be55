package booking

import (
	"context"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Book stores a new reservation. If it replaces a hold, the same transaction cancels that hold, so the guest always has
// exactly one of them. A replaced hold that is cancelled stays unchanged. Book returns ErrTooMuchHeld if the reservation does not fit into
// its quota, and ErrIllegalTransition if the replaced one was confirmed meanwhile.
func (s Reservations) Book(ctx context.Context, by access.Principal, r *Reservation, replaced *id.Reservation) error {
	if replaced == nil {
		return s.In(ctx, r.Tenant, func(tx postgres.Tx) error {
			if err := s.admit(ctx, tx, r, nil); err != nil {
				return err
			}
			return s.Add(ctx, tx, r)
		})
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

// sharesGuest reports whether both reservations belong to the same session or the same draft. It returns false if
// neither has one.
func (r *Reservation) sharesGuest(other *Reservation) bool {
	return r.Session != nil && other.Session != nil && *r.Session == *other.Session ||
		r.Draft != nil && other.Draft != nil && *r.Draft == *other.Draft
}

func (s Reservations) exchange(ctx context.Context, old, r *Reservation) error {
	replaced := old.State == Cancelled
	if !replaced {
		if err := old.Replace(r.CreatedBy, r.Hold.PlacedAt); err != nil {
			return err
		}
	}
	return s.In(ctx, r.Tenant, func(tx postgres.Tx) error {
		if err := s.admit(ctx, tx, r, &old.ID); err != nil {
			return err
		}
		if err := s.Add(ctx, tx, r); err != nil || replaced {
			return err
		}
		return s.Save(ctx, tx, old, ReservationCancelled(old))
	})
}
