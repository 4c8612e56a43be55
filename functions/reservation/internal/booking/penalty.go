package booking

import (
	"math/big"
	"time"

	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// noShowAt returns the time at which a guest who has not arrived counts as a no-show: NoShowGrace hours after the end
// of the arrival day at the property, or later for a reinstated guest. From then on the reservation cannot be cancelled.
func (r *Reservation) noShowAt() time.Time {
	missed := r.Local.midnight(r.Stay.Start.AddDays(1)).Add(time.Duration(r.NoShowGrace) * time.Hour)
	if r.SparedUntil != nil && r.SparedUntil.After(missed) {
		return *r.SparedUntil
	}
	return missed
}

// deadline returns the time from which the cancellation of an item costs its penalty. It counts back from the start of the
// arrival day at the property. After a change of dates the earlier of the old and the new deadline counts, so that a guest
// cannot avoid a penalty by moving the stay first.
func (r *Reservation) deadline(item Item) time.Time {
	deadline := r.Local.midnight(r.Stay.Start).Add(-time.Duration(r.policyOf(item).FreeUntil) * time.Hour)
	if item.FreeUntil != nil && item.FreeUntil.Before(deadline) {
		return *item.FreeUntil
	}
	return deadline
}

// freeUntil returns the end of free cancellation: the earliest deadline of the items. It returns nil unless the reservation is
// confirmed.
func (r *Reservation) freeUntil() *time.Time {
	if r.EffectiveState() != Confirmed {
		return nil
	}
	var first *time.Time
	for _, item := range r.Items {
		if deadline := at(r.deadline(item)); first == nil || deadline.Before(*first) {
			first = &deadline
		}
	}
	return first
}

// penalty returns the sum of the penalties of all items for a cancellation.
func (r *Reservation) penalty(now time.Time) money.Micro {
	sum := new(big.Rat)
	for _, item := range r.Items {
		if !now.Before(r.deadline(item)) {
			sum.Add(sum, r.part(item, r.policyOf(item).late(r.Stay.Nights())))
		}
	}
	return r.amount(sum)
}

// noShowPenalty returns the sum of the penalties of all items for a guest who does not come.
func (r *Reservation) noShowPenalty() money.Micro {
	sum := new(big.Rat)
	for _, item := range r.Items {
		sum.Add(sum, r.part(item, r.policyOf(item).noShow(r.Stay.Nights())))
	}
	return r.amount(sum)
}

// earlyPenalty returns the price of the nights from a date on, and the part of it that the policies of the items keep if the
// guest leaves on that date.
func (r *Reservation) earlyPenalty(from stay.Date) (unslept, penalty money.Micro) {
	left := Stay{Start: from, End: r.Stay.End}.Nights()
	price, kept := new(big.Rat), new(big.Rat)
	for _, item := range r.Items {
		rest := r.part(item, big.NewRat(int64(left), int64(r.Stay.Nights())))
		price.Add(price, rest)
		if left > 0 {
			kept.Add(kept, rest.Mul(rest, r.policyOf(item).late(left)))
		}
	}
	return r.amount(price), r.amount(kept)
}

// priceOf returns the price of the nights of an item from a date on: its share of the grand total, taxes and fees
// included. Every night of an item has the same share.
func (r *Reservation) priceOf(item Item, from stay.Date) money.Micro {
	return r.amount(r.part(item, big.NewRat(int64(Stay{Start: from, End: r.Stay.End}.Nights()), int64(r.Stay.Nights()))))
}

// part returns a share of an item's part of the grand total. Items take part in proportion to their own prices.
func (r *Reservation) part(item Item, share *big.Rat) *big.Rat {
	var rooms int64
	for _, i := range r.Items {
		rooms += int64(i.Total)
	}
	part := big.NewRat(1, int64(len(r.Items))) // free rooms: the total consists of fees
	if rooms > 0 {
		part.SetFrac64(int64(item.Total), rooms)
	}
	part.Mul(part, share)
	return part.Mul(part, new(big.Rat).SetInt64(int64(r.Total)))
}

// amount rounds down to minor units of the reservation's currency.
func (r *Reservation) amount(of *big.Rat) money.Micro {
	whole := money.Micro(new(big.Int).Quo(of.Num(), of.Denom()).Int64()) // at most the total
	return whole - whole%r.Currency.MinorUnit()
}

// policyOf returns the policy of an item, or the reservation's if the row predates item policies.
func (r *Reservation) policyOf(item Item) Policy {
	if item.Policy == nil {
		return r.Policy
	}
	return *item.Policy
}
