package booking

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// noShowAt returns the time at which a guest who has not arrived counts as a no-show: NoShowGrace hours after the end
// of the arrival day at the property, or later for a guest who is spared. From then on the reservation cannot be cancelled.
func (r *Reservation) noShowAt() time.Time {
	missed := r.expectedUntil(r.Stay.Start)
	if r.SparedUntil != nil && r.SparedUntil.After(missed) {
		return *r.SparedUntil
	}
	return missed
}

// expectedUntil returns the end of the grace after a date.
func (r *Reservation) expectedUntil(d stay.Date) time.Time {
	return r.Local.Midnight(d.AddDays(1)).Add(time.Duration(r.NoShowGrace) * time.Hour)
}

// deadline returns the time from which the cancellation of an item costs its penalty. It counts back from the start of the
// arrival day at the property. After a change of dates the earlier of the old and the new deadline counts, so that a guest
// cannot avoid a penalty by moving the stay first.
func (r *Reservation) deadline(item Item) time.Time {
	deadline := r.freeUntilBy(item.Policy)
	if item.FreeUntil != nil && item.FreeUntil.Before(deadline) {
		return *item.FreeUntil
	}
	return deadline
}

func (r *Reservation) freeUntilBy(p quotes.Policy) time.Time {
	return r.Local.Midnight(r.Stay.Start).Add(-time.Duration(p.FreeUntil) * time.Hour)
}

// freeUntil returns the end of free cancellation: the earliest deadline of the items. It returns nil unless the reservation is
// confirmed.
func (r *Reservation) freeUntil() *time.Time {
	if r.EffectiveState() != Confirmed {
		return nil
	}
	var first *time.Time
	for _, item := range r.Items {
		if deadline := event.Time(r.deadline(item)); first == nil || deadline.Before(*first) {
			first = &deadline
		}
	}
	return first
}

// A rule returns what a policy keeps of nights and fees, in units of the currency.
type rule func(p quotes.Policy, nights []quotes.Night, fees, unit money.Micro) money.Micro

// keep returns what a rule keeps of each item, and of the fees of the stay by the policy of the reservation. Together it is at most
// what the guest would have to pay for the stay.
func (r *Reservation) keep(of rule, applies func(deadline time.Time) bool) (kept []account.Charge) {
	limit := r.Total - r.Account.Retained()
	add := func(item *id.Item, amount money.Micro) {
		if amount = min(amount, limit); amount > 0 {
			kept, limit = append(kept, account.Charge{Kind: account.Retained, Item: item, Amount: amount}), limit-amount
		}
	}
	unit := r.Currency.MinorUnit()
	for _, item := range r.Items {
		if applies(r.deadline(item)) {
			add(&item.ID, of(item.Policy, item.Nights, quotes.SumLines(item.Extras), unit))
		}
	}
	if applies(r.freeUntilBy(r.Policy)) {
		add(nil, of(r.Policy, nil, quotes.SumLines(r.Extras), unit))
	}
	return kept
}

// penalty returns what is kept for a cancellation.
func (r *Reservation) penalty(now time.Time) []account.Charge {
	return r.keep(quotes.Policy.Late, func(deadline time.Time) bool { return !now.Before(deadline) })
}

// noShowPenalty returns what is kept of a guest who does not come.
func (r *Reservation) noShowPenalty() []account.Charge {
	return r.keep(quotes.Policy.NoShow, func(time.Time) bool { return true })
}

// missedPenalty returns what is kept of an item whose guests do not come while others do.
func (i Item) missedPenalty(c money.Currency) money.Micro {
	return i.Policy.NoShow(i.Nights, quotes.SumLines(i.Extras), c.MinorUnit())
}

// earlyPenalty returns what is kept of the nights from a date on if the guest leaves on that date. Fees that belong to no night stay
// charged.
func (r *Reservation) earlyPenalty(from stay.Date) []account.Charge {
	unslept := func(p quotes.Policy, nights []quotes.Night, _, unit money.Micro) money.Micro {
		return p.Late(quotes.NightsFrom(nights, from), 0, unit)
	}
	return r.keep(unslept, func(time.Time) bool { return true })
}
