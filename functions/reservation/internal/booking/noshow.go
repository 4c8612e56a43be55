package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A Missed records that the guest did not come.
type Missed struct {
	At          time.Time       `json:"occurredAt"`
	By          access.Actor    `json:"actor"`
	Applied     Applied         `json:"policyApplied"`
	Refunds     []Refund        `json:"paymentRefundsRequested"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
}

// A MissWish is a request to record that the guest did not come.
type MissWish struct {
	By      access.Actor
	Manager bool // may act before the no-show time, and waive the penalty
	Waive   bool // the penalty
	sweep   bool // what is not overdue by the database's clock stays as it is
}

// MissBySweep returns the wish of the sweep: this service acts, and the policy applies.
func MissBySweep() MissWish { return MissWish{By: saga(), sweep: true} }

// errEarlyMiss rejects a no-show before its time by a caller who is not a manager.
var errEarlyMiss = fault.ErrForbidden.Saying("Only a manager can record a no-show before the end of the grace period.")

// Overdue reports whether the guest, or the guests of some rooms, are a no-show by the property's clock. A reservation with a change in progress is not.
func (r *Reservation) Overdue(now time.Time) bool {
	awaited := r.State == Confirmed || r.State == CheckedIn && len(r.expected()) > 0
	return awaited && r.Saga.Plan == nil && !now.Before(r.noShowAt())
}

// Miss records that the guest did not come: the policy's no-show penalty is kept, the rest of the money is to be refunded, and the
// rooms are free. It returns ErrBeforeArrival before the business date of the arrival, and fault.ErrForbidden for what only a
// manager may do. Repeated by the same actor with the same penalty, it changes nothing.
func (r *Reservation) Miss(w MissWish, now time.Time) (missed bool, err error) {
	retained := r.noShowPenalty()
	if w.Waive {
		retained = nil
	}
	penalty := account.Sum(retained) + r.Account.Retained()
	switch {
	case w.Waive && !w.Manager:
		return false, errWaiver
	case r.State == NoShow && r.Missed.By == w.By && r.Missed.Applied.Penalty == penalty:
		return false, nil
	case r.EffectiveState() != Confirmed:
		return false, r.illegal()
	case r.businessDate(now).Before(r.Stay.Start):
		return false, r.beforeArrival()
	case r.Saga.Plan != nil:
		return false, errChanging
	case now.Before(r.noShowAt()) && !w.Manager:
		return false, errEarlyMiss
	}
	applied := Applied{Ref: r.policyRef(), Eligible: max(0, r.Payment.kept()-penalty), Penalty: penalty, Currency: r.Currency}
	back := r.refunds(applied.Eligible, "no-show")
	if err := r.move(r.State, NoShow); err != nil {
		return false, err
	}
	r.Hold.Outcome = Released
	r.Payment.Requested = append(slices.Clone(r.Payment.Requested), back...)
	r.revokeKeys(r.itemIDs()...)
	r.roomsChange(r.Stay.Start)
	r.Missed = &Missed{At: event.Time(now), By: w.By, Applied: applied, Refunds: back, Allocations: r.Hold.Allocations}
	r.post(account.Posting{Cause: account.ByNoShow, At: now}, retained...)
	return true, nil
}

// A released is the payload of NoShowV1 and EarlyCheckoutV1: the guest gives back nights of a booked stay.
type released struct {
	reference
	OccurredAt  time.Time       `json:"occurredAt"`
	Actor       access.Actor    `json:"actor"`
	Applied     Applied         `json:"policyApplied"`
	Penalty     money.Micro     `json:"penaltyMicro"`
	Currency    money.Currency  `json:"currency"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"` // for inventory to release
	Refunds     []Refund        `json:"paymentRefundsRequested"`
}

// GuestMissed returns the event for a guest who did not come.
func GuestMissed(r *Reservation) event.Draft {
	m := r.Missed
	return r.event(NoShowV1, released{
		reference: r.reference(), OccurredAt: m.At, Actor: m.By, Applied: m.Applied, Penalty: m.Applied.Penalty,
		Currency: m.Applied.Currency, Allocations: m.Allocations, Refunds: m.Refunds,
	})
}
