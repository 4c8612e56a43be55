package booking

import (
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// The reasons if the hotel cancels.
const (
	StaffCancelled Reason = "staff_cancelled"
	Overbooked     Reason = "overbooked" // the house is too full: the guest gets everything back
)

// An AskedReason is a reason that a caller may give. Only this service itself sets the other reasons.
type AskedReason Reason

// UnmarshalText rejects a reason that a caller may not give.
func (r *AskedReason) UnmarshalText(text []byte) error {
	return oneOf(r, text, AskedReason(GuestCancelled), AskedReason(StaffCancelled), AskedReason(Overbooked))
}

// A CancelWish is a request to cancel a reservation.
type CancelWish struct {
	Code     Reason
	Reason   string
	By       Actor
	MayWaive bool // the penalty, if the hotel cancels; not all staff may do this
	OnlyHeld bool // rejects confirmed reservations
}

// Cancels returns the actor of a cancellation. A service that cancels for a guest acts as that guest.
func (p Principal) Cancels(r *Reservation, code Reason) Actor {
	if code == GuestCancelled {
		return p.ForGuest(r)
	}
	return p.Actor
}

// errWaiver rejects a waiver by a caller who is not a manager.
var errWaiver = fault.ErrForbidden.Saying("Only a manager can waive the penalty.")

// Allows returns the applied policy and the refunds of a cancellation, or an error if the reservation cannot be
// cancelled this way.
func (w CancelWish) Allows(r *Reservation, now time.Time) (Applied, []Refund, error) {
	applied, _, back, err := w.decide(r, now)
	return applied, back, err
}

// decide returns what Allows does, and what is retained. If the hotel cancels, it retains nothing more than it has retained before.
func (w CancelWish) decide(r *Reservation, now time.Time) (applied Applied, retained []Charge, back []Refund, err error) {
	applied = Applied{Ref: r.policyRef(), Currency: r.Currency}
	switch state := r.EffectiveState(); {
	case state == Held, state == ExpiredHold && w.OnlyHeld: // also if expired: a late payment could confirm it again
		return applied, nil, nil, nil
	case state != Confirmed || w.OnlyHeld || !now.Before(r.noShowAt()):
		return Applied{}, nil, nil, ErrIllegalTransition
	}
	retained = r.penalty(now)
	if w.Code != GuestCancelled {
		if len(retained) > 0 && !w.MayWaive {
			return Applied{}, nil, nil, errWaiver
		}
		retained = nil
	}
	applied.Penalty = sumOfCharges(retained) + r.Account.retained()
	applied.Eligible = max(0, r.Payment.kept()-applied.Penalty)
	return applied, retained, r.refunds(applied.Eligible, "cancel"), nil
}

// policyRef returns the references of the policies of all items, each once.
func (r *Reservation) policyRef() string {
	var refs []string
	for _, item := range r.Items {
		if ref := item.Policy.Ref; !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return strings.Join(refs, ", ")
}

// CancelOnWish cancels the reservation under the terms of its policy.
func (r *Reservation) CancelOnWish(w CancelWish, now time.Time) error {
	applied, retained, back, err := w.decide(r, now)
	if err != nil {
		return err
	}
	if err := r.cancel(w.Code, w.Reason, w.By, now, retained, back...); err != nil {
		return err
	}
	r.Payment.Requested = append(r.Payment.Requested, back...)
	r.Cancellation.Applied = applied
	return nil
}
