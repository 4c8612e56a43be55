package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// changeable returns the first night that a change of a room or its price can concern: the arrival, or the night of the business date
// if the arrival is past. It returns ErrIllegalTransition unless the reservation is confirmed or checked in and such a night remains.
func (r *Reservation) changeable(now time.Time) (from stay.Date, err error) {
	from = r.currentNight(now)
	if r.State != Confirmed && r.State != CheckedIn {
		return from, r.illegal()
	}
	if from.Before(r.businessDate(now)) {
		return from, r.illegalBecause("No night of the stay is left to change.")
	}
	return from, nil
}

// itemAt returns the index of an item, or a violation that points to itemId.
func (r *Reservation) itemAt(item id.Item) (int, error) {
	at := slices.IndexFunc(r.Items, func(i Item) bool { return i.ID == item })
	if at < 0 {
		return 0, fault.ErrValidation.With(fault.Violation{Pointer: "/itemId", Rule: "item", Message: "must be an item of the reservation"})
	}
	return at, nil
}

// priced returns the question to the pricing service about items, for the nights from a date on.
func (r *Reservation) priced(items []Item, nights stay.Window) quotes.Ask {
	ask := quotes.Ask{Property: r.Property, Stay: nights, Currency: r.Currency, Locale: r.Locale, Promo: r.Promo}
	for _, item := range items {
		ask.Items = append(ask.Items, quotes.AskedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: item.Occupants})
	}
	return ask
}

// reprice replaces the price of items, at the given indexes of after, for the nights from a date on. The nights before keep their price.
// What belongs to no night is replaced only if no night is kept, and what belongs to no room only if all rooms are priced again.
func (after *Reserved) reprice(indexes []int, from stay.Date, p quotes.Price) {
	for n, at := range indexes {
		item, priced := &after.Items[at], p.Items[n]
		item.Nights = append(nightsBefore(item.Nights, after.Stay.Start, from), priced.Nights...)
		item.Nightly, item.Policy = priced.Nightly, p.Policy
		if priced.Policy != nil {
			item.Policy = *priced.Policy
		}
		if from == after.Stay.Start {
			item.Extras = priced.Extras
		}
		item.Total = item.price()
	}
	if from == after.Stay.Start && len(indexes) == len(after.Items) {
		after.Extras = p.Extras
	}
	if p.FX != nil {
		after.FX = p.FX
	}
}

// nightsBefore returns a copy of the nights from a first date to the one before another.
func nightsBefore(nights []quotes.Night, first, until stay.Date) []quotes.Night {
	kept := []quotes.Night{}
	for _, n := range nights {
		if n.Date.Before(until) && !n.Date.Before(first) {
			kept = append(kept, n)
		}
	}
	return kept
}

// describe sets the type, the sides and the difference in price of the planned modification.
func (p *Plan) describe(t ModificationType, before, after any) (err error) {
	p.Modification.Type = t
	p.Before, p.After, err = sides(before, after)
	return err
}

// costs sets the total after the change, with what the change retains, and the difference in price.
func (p *Plan) costs(r *Reservation) {
	total := r.Account.Retained() + account.Sum(p.Retained) + quotes.SumLines(p.Reserved.Extras)
	for _, item := range p.Reserved.Items {
		total += item.price()
	}
	p.Reserved.Total = total
	delta := total - r.Total
	p.PriceDelta = &delta
}

// datesAsk checks a new stay and returns the nights to price. Of a guest in house only the departure can change, and only the
// nights from the business date on are priced. A night that was published as overstayed is billed otherwise and never priced. It returns
// errSameDates if an earlier change has set the stay.
func (r *Reservation) datesAsk(to stay.Window, now time.Time) (nights stay.Window, err error) {
	first, bad := r.businessDate(now), service.Violations{}
	if err := to.Validate(); err != nil {
		return nights, fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow", Rule: "range", Message: err.Error()})
	}
	if r.State != Confirmed && r.State != CheckedIn {
		return nights, r.illegal()
	}
	if r.changedTo(to) {
		return nights, errSameDates
	}
	if r.OverstayedOn != nil && !r.OverstayedOn.Before(first) {
		first = r.OverstayedOn.AddDays(1)
	}
	started := to.Start == r.Stay.Start && to.Start.Before(first)
	bad.Refuse("stayWindow", "must differ from the present one", to == r.Stay)
	bad.Refuse("stayWindow/start", "cannot change for a guest in house", r.State == CheckedIn && to.Start != r.Stay.Start)
	bad.Refuse("stayWindow/start", "must not be in the past", to.Start.Before(first) && !started)
	bad.Refuse("stayWindow/end", "must be after "+first.String(), !first.Before(to.End))
	if started {
		return stay.Window{Start: first, End: to.End}, bad.Err()
	}
	return to, bad.Err()
}

// changeDates plans another stay at the given price.
func (r *Reservation) changeDates(act id.Request, to, nights stay.Window, price quotes.Price) (*Plan, error) {
	after := r.reserved()
	after.Stay = to
	all := make([]int, len(r.Items))
	for i := range all {
		all[i] = i
	}
	after.reprice(all, nights.Start, price) // the nights before are slept, or missed
	p := &Plan{Releases: slices.Clone(r.Hold.Allocations)}
	moved := *r
	moved.Stay = to
	for i := range after.Items {
		item := &after.Items[i]
		item.FreeUntil = nil
		deadline := moved.deadline(*item)
		if earlier := r.deadline(r.Items[i]); earlier.Before(deadline) {
			deadline = earlier
		}
		item.FreeUntil = &deadline
		after.Allocations[i] = p.take(act, *item, nights)
	}
	if len(r.Rooms()) > 0 {
		roomsFrom := nights.Start
		if r.Stay.Start.Before(nights.Start) && r.State == Confirmed {
			roomsFrom = r.Stay.Start // a copy: apply changes r.Start
		}
		p.RoomsFrom = &roomsFrom
		p.Reissue = r.itemIDs()
	}
	p.Reserved = after
	p.costs(r)
	before := DatesOf{Stay: quotes.ViewStay(r.Stay), Totals: r.totals(r.Total), Keys: r.validKeys(r.itemIDs()...)}
	return p, p.describe(DateChange, before, DatesOf{Stay: quotes.ViewStay(to), Totals: r.totals(p.Reserved.Total)})
}

// changeOccupants plans other guests in a room at the given price.
func (r *Reservation) changeOccupants(at int, to stay.Occupants, from stay.Date, price quotes.Price) (*Plan, error) {
	after := r.reserved()
	after.Items[at].Occupants = to
	after.reprice([]int{at}, from, price)
	p := &Plan{Reserved: after}
	p.costs(r)
	side := func(item Item, total money.Micro) OccupantsOf {
		return OccupantsOf{Item: item.ID, Occupants: quotes.Occupants(item.Occupants), Totals: r.totals(total)}
	}
	return p, p.describe(GuestCountChange, side(r.Items[at], r.Total), side(after.Items[at], p.Reserved.Total))
}

// A RoomMove is a change of one room: of its type or rate, of the physical room, or of both. A complimentary move leaves the
// price as it is.
type RoomMove struct {
	Item          id.Item
	RoomType      *id.RoomType
	RatePlan      *id.RatePlan
	Room          *id.Room
	Returns       // of a guest whose room is out of order for a part of the stay
	Complimentary bool
}

// changeRoom plans a move, at the given price unless price is nil. The physical rooms are those of the property.
func (r *Reservation) changeRoom(act id.Request, at int, m RoomMove, from stay.Date, price *quotes.Price, of []Room) (*Plan, error) {
	after := r.reserved()
	item, old := &after.Items[at], r.Items[at]
	m.on(item)
	p := &Plan{}
	if price != nil {
		after.reprice([]int{at}, from, *price)
	}
	if item.RoomType != old.RoomType {
		after.Allocations[at] = p.take(act, *item, r.nightsFrom(from))
		p.Releases = []id.Allocation{r.Hold.Allocations[at]}
		item.assign(nil)
	}
	if m.Room != nil {
		if slices.ContainsFunc(r.Items, func(other Item) bool { return other.ID != item.ID && equal(other.Room, m.Room) }) {
			return nil, ErrRoomUnavailable
		}
		trial := *r // assign checks the room and records nothing in r
		if m.ReturnFrom != nil {
			trial.Stay.End = *m.ReturnFrom
		}
		if err := trial.assign(item, *m.Room, of, from); err != nil {
			return nil, err
		}
		item.Returns = m.Returns
	}
	if item.ArrivedAt != nil && item.Room == nil {
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/roomId", Rule: "required", Message: "must name the new room of a guest in house"})
	}
	before := RoomOf{Item: old.ID, RoomType: old.RoomType, RatePlan: old.RatePlan, Room: old.Room, Occupants: quotes.Occupants(old.Occupants), Totals: r.totals(r.Total)}
	if !equal(item.Room, old.Room) {
		p.Reissue, before.Keys = []id.Item{item.ID}, r.validKeys(item.ID)
	}
	if !equal(item.Room, old.Room) || !equal(item.ReturnFrom, old.ReturnFrom) {
		p.RoomsFrom = &from
	}
	p.Reserved = after
	p.costs(r)
	return p, p.describe(RoomChange, before, RoomOf{
		Item: item.ID, RoomType: item.RoomType, RatePlan: item.RatePlan, Room: item.Room, Occupants: quotes.Occupants(item.Occupants),
		Totals: r.totals(p.Reserved.Total), Complimentary: m.Complimentary,
	})
}

// physical reports whether the move is to another physical room only.
func (m RoomMove) physical() bool { return m.Room != nil && m.RoomType == nil && m.RatePlan == nil }

// on applies the wanted type and rate to an item.
func (m RoomMove) on(item *Item) {
	if m.RoomType != nil {
		item.RoomType = *m.RoomType
	}
	if m.RatePlan != nil {
		item.RatePlan = *m.RatePlan
	}
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// addRoom plans another room at the given price. What belongs to no room stays as it is.
func (r *Reservation) addRoom(act id.Request, asked quotes.AskedItem, price quotes.Price) (*Plan, error) {
	after := r.reserved()
	after.Items = append(after.Items, Item{
		ID: id.Derive[id.Item](act, "item"), Position: r.Items[len(r.Items)-1].Position + 1, RoomType: asked.RoomType, RatePlan: asked.RatePlan,
		Occupants: asked.Occupants,
	})
	last := len(after.Items) - 1
	after.reprice([]int{last}, r.Stay.Start, price)
	item, p := after.Items[last], &Plan{}
	after.Allocations = append(after.Allocations, p.take(act, item, r.Stay))
	p.Reserved = after
	p.costs(r)
	return p, p.describe(RoomAdded, TotalsOf{Totals: r.totals(r.Total)}, roomOf(item, r.totals(p.Reserved.Total)))
}

// removeRoom plans to give up a room. What its policy keeps for a cancellation is retained.
func (r *Reservation) removeRoom(at int, now time.Time) (*Plan, error) {
	if len(r.Items) == 1 {
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/itemId", Rule: "last", Message: "is the last room: cancel the reservation instead"})
	}
	p, err := r.giveUp(at, r.removalPenalty(r.Items[at], now), now, false)
	if err == nil && p.Reserved.Total <= 0 {
		err = fault.ErrValidation.With(fault.Violation{Pointer: "/itemId", Rule: "paying", Message: "is the only room that costs something: cancel the reservation instead"})
	}
	return p, err
}

// removalPenalty returns what the policy of an item keeps if its room is given up: as for a cancellation, or from the no-show time on for a no-show.
func (r *Reservation) removalPenalty(item Item, now time.Time) money.Micro {
	switch {
	case !now.Before(r.noShowAt()):
		return item.missedPenalty(r.Currency)
	case !now.Before(r.deadline(item)):
		return item.Policy.Late(item.Nights, quotes.SumLines(item.Extras), r.Currency.MinorUnit())
	}
	return 0
}

// giveUp plans to give up a room and to retain an amount.
func (r *Reservation) giveUp(at int, kept money.Micro, now time.Time, missed bool) (*Plan, error) {
	after, item := r.reserved(), r.Items[at]
	p := &Plan{Releases: []id.Allocation{r.Hold.Allocations[at]}}
	if kept > 0 {
		p.Retained = []account.Charge{{Kind: account.Retained, Item: &item.ID, Amount: kept}}
	}
	p.PolicyRef = item.Policy.Ref
	after.Items, after.Allocations = slices.Delete(after.Items, at, at+1), slices.Delete(after.Allocations, at, at+1)
	if item.Room != nil {
		from := r.Stay.Start
		if r.State.inside() {
			from = r.currentNight(now) // the other guests may have had other rooms before
		}
		p.RoomsFrom = &from
	}
	p.Reissue = []id.Item{item.ID}
	p.Reserved = after
	p.costs(r)
	before := roomOf(item, r.totals(r.Total))
	before.Keys = r.validKeys(item.ID)
	return p, p.describe(RoomRemoved, before, TotalsOf{Totals: r.totals(p.Reserved.Total), NoShow: missed})
}

func roomOf(item Item, totals quotes.Totals) RoomOf {
	return RoomOf{Item: item.ID, RoomType: item.RoomType, RatePlan: item.RatePlan, Room: item.Room, Occupants: quotes.Occupants(item.Occupants), Totals: totals}
}

// changeRate plans another rate of a room for the nights from a date on. Taxes and fees stay as they are.
func (r *Reservation) changeRate(at int, nightly money.Micro, reason Text, from stay.Date) (*Plan, error) {
	p := &Plan{Reserved: r.reserved()}
	item, low := &p.Reserved.Items[at], false
	item.Nights = slices.Clone(item.Nights)
	for n := range item.Nights {
		if night := &item.Nights[n]; !night.Date.Before(from) {
			night.Amount, night.Room = night.Amount+nightly-night.Room, nightly
			low = low || night.Amount < 0
		}
	}
	item.Nightly, item.Total = nightly, item.price()
	p.costs(r)
	if low || p.Reserved.Total <= 0 {
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/nightlyRateMicro", Rule: "range", Message: "must leave a total above zero"})
	}
	side := func(item Item, total money.Micro, reason Text) RateOf {
		return RateOf{Item: &item.ID, Nightly: &item.Nightly, Totals: new(r.totals(total)), Reason: reason}
	}
	return p, p.describe(RateChange, side(r.Items[at], r.Total, ""), side(*item, p.Reserved.Total, reason))
}

// correctChannel plans another sales channel.
func (r *Reservation) correctChannel(to Channel, partner Reference, reason Text) (*Plan, error) {
	if !slices.Contains([]State{Confirmed, CheckInStarted, CheckedIn, CheckoutStarted, CheckedOut, NoShow}, r.State) {
		return nil, r.illegal()
	}
	p := &Plan{Reserved: r.reserved()}
	p.Reserved.Channel, p.Reserved.Partner = to, partner
	return p, p.describe(ChannelCorrected, ChannelOf{Channel: r.Channel, Partner: r.Partner}, ChannelOf{Channel: to, Partner: partner, Reason: reason})
}
