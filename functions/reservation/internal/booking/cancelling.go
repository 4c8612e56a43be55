package booking

import (
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
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
	return service.OneOf(r, text, AskedReason(GuestCancelled), AskedReason(StaffCancelled), AskedReason(Overbooked))
}

// AllowedTo reports whether the principal may cancel for that reason. Only staff and desk services may give StaffCancelled, and only
// managers Overbooked.
func (r AskedReason) AllowedTo(p access.Principal) bool {
	switch Reason(r) {
	case StaffCancelled:
		return p.ActsForStaff()
	case Overbooked:
		return p.IsManager()
	default:
		return true
	}
}

// A CancelWish is a request to cancel a reservation.
type CancelWish struct {
	Code     Reason
	Reason   string
	By       access.Actor
	MayWaive bool // the penalty, if the hotel cancels; not all staff may do this
	OnlyHeld bool // rejects confirmed reservations
}

// Canceller returns the actor of a cancellation. A service that cancels for a guest acts as that guest.
func Canceller(p access.Principal, r *Reservation, code Reason) access.Actor {
	if code == GuestCancelled {
		return p.ForGuest(r.Guest)
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
func (w CancelWish) decide(r *Reservation, now time.Time) (applied Applied, retained []account.Charge, back []Refund, err error) {
	applied = Applied{Ref: r.policyRef(), Currency: r.Currency}
	switch state := r.EffectiveState(); {
	case state == Held, state == ExpiredHold && w.OnlyHeld: // also if expired: a late payment could confirm it again
		return applied, nil, nil, nil
	case state != Confirmed || w.OnlyHeld:
		return Applied{}, nil, nil, r.illegal()
	case !now.Before(r.noShowAt()):
		return Applied{}, nil, nil, r.illegalBecause("The guest counts as a no-show, which cannot be cancelled.")
	}
	retained = r.penalty(now)
	if w.Code != GuestCancelled {
		if len(retained) > 0 && !w.MayWaive {
			return Applied{}, nil, nil, errWaiver
		}
		retained = nil
	}
	applied.Penalty = account.Sum(retained) + r.Account.Retained()
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
