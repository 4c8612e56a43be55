package reservation

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
)

// StaffCancelled is the reason when the hotel does not want the guest to come.
const StaffCancelled Reason = "staff_cancelled"

// An AskedReason is one that a caller can have. The others are what this service itself finds.
type AskedReason Reason

// UnmarshalText refuses a reason that no caller can have.
func (r *AskedReason) UnmarshalText(text []byte) error {
	return oneOf(r, text, AskedReason(GuestCancelled), AskedReason(StaffCancelled))
}

// A CancelWish is somebody's, for a reason.
type CancelWish struct {
	Code     Reason
	Reason   string
	By       Actor
	MayWaive bool // the penalty, where the hotel cancels: not everybody at its desk may
	OnlyHeld bool // rooms that nobody has paid for or promised to
}

// Cancels returns who cancels: a service that passes on a guest's wish speaks for the guest.
func (v Principal) Cancels(r *Reservation, code Reason) Actor {
	if v.Actor.Type == System && code == GuestCancelled {
		return Actor{Guest, Name(r.Guest.String())}
	}
	return v.Actor
}

// errWaiver is who may waive (DESIGN 9.32).
var errWaiver = fault.ErrForbidden.Saying("Only a manager can waive the penalty.")

// Allows says whether the reservation can be cancelled by a wish, and what that comes to.
func (w CancelWish) Allows(r *Reservation, now time.Time) (Applied, []Refund, error) {
	applied := Applied{Ref: r.policyRef(), Currency: r.Currency}
	switch standing := r.EffectiveState(); {
	case standing == Held, standing == ExpiredHold && w.OnlyHeld: // rooms that are over, too: money might take them again
		return applied, nil, nil
	case standing != Confirmed || w.OnlyHeld || !now.Before(r.noShowAt()):
		return Applied{}, nil, ErrIllegalTransition
	}
	switch penalty := r.penalty(now); {
	case w.Code == GuestCancelled:
		applied.Penalty = penalty
	case penalty > 0 && !w.MayWaive:
		return Applied{}, nil, errWaiver
	}
	applied.Eligible = max(0, r.Captured-r.Refunded-applied.Penalty)
	if applied.Eligible == 0 {
		return applied, nil, nil
	}
	return applied, []Refund{{*r.Intent, applied.Eligible}}, nil
}

// noShowAt is when a guest who has not arrived is a no-show: so many hours after the end of the arrival day at the property. From then
// on there is nothing to cancel.
func (r *Reservation) noShowAt() time.Time {
	return r.midnight(r.Start.AddDays(1)).Add(time.Duration(r.NoShowGrace) * time.Hour)
}

// penalty is what the policies of the items keep of the price, added up and rounded down to minor units of the currency. Each item has
// its part of the grand total, by its own price. Hours are counted to the beginning of the day of arrival at the property.
func (r *Reservation) penalty(now time.Time) money.Micro {
	var rooms int64
	for _, item := range r.Items {
		rooms += int64(item.Total)
	}
	arrival, kept := r.midnight(r.Start), new(big.Rat)
	for _, item := range r.Items {
		policy := r.policyOf(item)
		if now.Before(arrival.Add(-time.Duration(policy.FreeUntil) * time.Hour)) {
			continue
		}
		part := big.NewRat(1, int64(len(r.Items))) // rooms that cost nothing: what is paid are fees
		if rooms > 0 {
			part.SetFrac64(int64(item.Total), rooms)
		}
		kept.Add(kept, part.Mul(part, policy.late(r.Nights())))
	}
	kept.Mul(kept, new(big.Rat).SetInt64(int64(r.Total)))
	penalty := money.Micro(new(big.Int).Quo(kept.Num(), kept.Denom()).Int64()) // at most the total
	return penalty - penalty%r.Currency.MinorUnit()
}

// policyOf is the policy of an item. A row that is older than policies of items has the reservation's.
func (r *Reservation) policyOf(item Item) Policy {
	if item.Policy == nil {
		return r.Policy
	}
	return *item.Policy
}

// policyRef names the policies of all items, each once.
func (r *Reservation) policyRef() string {
	var refs []string
	for _, item := range r.Items {
		if ref := r.policyOf(item).Ref; !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return strings.Join(refs, ", ")
}

// CancelOnWish ends the reservation because somebody wants it, on the terms of its policy.
func (r *Reservation) CancelOnWish(w CancelWish, now time.Time) error {
	applied, back, err := w.Allows(r, now)
	if err != nil {
		return err
	}
	if err := r.cancel(w.Code, w.Reason, w.By, now, back...); err != nil {
		return err
	}
	r.Cancellation.Applied = applied
	return nil
}
