package booking

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// changeable returns the first night that a change of a room or its price can concern: the arrival, or today if the arrival is
// past. It returns ErrIllegalTransition unless the reservation is confirmed or checked in and nights remain.
func (r *Reservation) changeable(now time.Time) (from stay.Date, err error) {
	from = r.Stay.Start
	if today := r.Local.today(now); from.Before(today) {
		from = today
	}
	if r.State != Confirmed && r.State != CheckedIn || !from.Before(r.Stay.End) {
		return from, ErrIllegalTransition
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
func (r *Reservation) priced(items []Item, nights Stay, promo string) Ask {
	ask := Ask{Property: r.Property, Stay: nights, Currency: r.Currency, Locale: r.Locale, Promo: promo}
	for _, item := range items {
		ask.Items = append(ask.Items, AskedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: item.Occupants})
	}
	return ask
}

// reprice replaces the price of items, at the given indexes of after, for the nights from a date on. The nights before keep
// their price. All other items keep theirs.
func (r *Reservation) reprice(after *Reserved, indexes []int, from stay.Date, p Price) {
	kept := r.Total
	for n, at := range indexes {
		old, item := r.Items[at], &after.Items[at]
		kept -= r.priceOf(old, from)
		slept := r.Stay.Nights() - Stay{Start: from, End: r.Stay.End}.Nights()
		before := new(big.Rat).SetFrac64(int64(old.Total)*int64(slept), int64(r.Stay.Nights()))
		item.Total = r.amount(before) + p.Items[n].Total
		item.Nightly, item.Policy = p.Items[n].Nightly, p.Items[n].Policy
		if item.Policy == nil {
			item.Policy = &p.Policy
		}
	}
	if len(indexes) == len(r.Items) && from == r.Stay.Start {
		kept = 0 // also the minor units that rounding has left over
	}
	r.setTotals(after, kept, p.Totals)
	if p.FX != nil {
		after.FX = p.FX
	}
}

// setTotals sets the totals of after to the part of the present ones that is kept and the added ones.
func (r *Reservation) setTotals(after *Reserved, kept money.Micro, added PriceTotals) {
	after.Total = kept + added.Grand
	if r.Own.OwnTotal == nil || added.OwnTotal == nil {
		after.Own = Own{}
		return
	}
	own := new(big.Rat).SetFrac64(int64(kept), int64(r.Total))
	total := r.amount(own.Mul(own, new(big.Rat).SetInt64(int64(*r.Own.OwnTotal)))) + *added.OwnTotal
	after.Own = Own{OwnTotal: &total, OwnCurrency: r.Own.OwnCurrency}
}

// describe sets the type, the sides and the difference in price of the planned modification.
func (p *Plan) describe(t ModificationType, before, after any) (err error) {
	p.Modification.Type = t
	p.Before, p.After, err = sides(before, after)
	return err
}

// costs sets the difference in price.
func (p *Plan) costs(r *Reservation) {
	delta := p.Reserved.Total - r.Total
	p.PriceDelta = &delta
}

// datesAsk checks a new stay and returns the nights to price. Of a guest in house only the departure can change, and only the
// nights from today on are priced.
func (r *Reservation) datesAsk(to Stay, now time.Time) (nights Stay, err error) {
	today, bad := r.Local.today(now), violations{}
	if err := to.Validate(); err != nil {
		return nights, fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow", Rule: "range", Message: err.Error()})
	}
	if r.State != Confirmed && r.State != CheckedIn {
		return nights, ErrIllegalTransition
	}
	started := to.Start == r.Stay.Start && to.Start.Before(today)
	bad.refuse("stayWindow", "must differ from the present one", to == r.Stay)
	bad.refuse("stayWindow/start", "cannot change for a guest in house", r.State == CheckedIn && to.Start != r.Stay.Start)
	bad.refuse("stayWindow/start", "must not be in the past", to.Start.Before(today) && !started)
	bad.refuse("stayWindow/end", "must be after today", !today.Before(to.End))
	if started {
		return Stay{Start: today, End: to.End}, bad.err()
	}
	return to, bad.err()
}

// changeDates plans another stay at the given price.
func (r *Reservation) changeDates(act id.Request, to, nights Stay, price Price) (*Plan, error) {
	after, from := r.reserved(), r.Stay.Start
	if nights.Start != to.Start {
		from = nights.Start // the nights before are slept, or missed
	}
	all := make([]int, len(r.Items))
	for i := range all {
		all[i] = i
	}
	r.reprice(&after, all, from, price)
	after.Stay = to
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
	before := DatesOf{Stay: viewStay(r.Stay), Totals: Totals{r.Total, r.Currency}, Keys: r.validKeys(r.itemIDs()...)}
	return p, p.describe(DateChange, before, DatesOf{Stay: viewStay(to), Totals: Totals{after.Total, r.Currency}})
}

// changeOccupants plans other guests in a room at the given price.
func (r *Reservation) changeOccupants(at int, to stay.Occupants, from stay.Date, price Price) (*Plan, error) {
	after := r.reserved()
	after.Items[at].Occupants = to
	r.reprice(&after, []int{at}, from, price)
	p := &Plan{Reserved: after}
	p.costs(r)
	side := func(item Item, total money.Micro) OccupantsOf {
		return OccupantsOf{Item: item.ID, Occupants: occupants(item.Occupants), Totals: Totals{total, r.Currency}}
	}
	return p, p.describe(GuestCountChange, side(r.Items[at], r.Total), side(after.Items[at], after.Total))
}

// A RoomMove is a change of one room: of its type or rate, of the physical room, or of both. A complimentary move leaves the
// price as it is.
type RoomMove struct {
	Item          id.Item
	RoomType      *id.RoomType
	RatePlan      *id.RatePlan
	Room          *id.Room
	Complimentary bool
}

// changeRoom plans a move, at the given price unless price is nil. The physical rooms are those of the property.
func (r *Reservation) changeRoom(act id.Request, at int, m RoomMove, from stay.Date, price *Price, of []Room) (*Plan, error) {
	after := r.reserved()
	item, old := &after.Items[at], r.Items[at]
	m.on(item)
	p := &Plan{}
	if price != nil {
		r.reprice(&after, []int{at}, from, *price)
	}
	if item.RoomType != old.RoomType {
		after.Allocations[at] = p.take(act, *item, r.nightsFrom(from))
		p.Releases = []id.Allocation{r.Hold.Allocations[at]}
		item.Room = nil
	}
	if m.Room != nil {
		trial := *r // assign checks the room and records nothing in r
		if err := trial.assign(item, *m.Room, of, from); err != nil {
			return nil, err
		}
	}
	if r.State == CheckedIn && item.Room == nil {
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/roomId", Rule: "required", Message: "must name the new room of a guest in house"})
	}
	before := RoomOf{Item: old.ID, RoomType: old.RoomType, RatePlan: old.RatePlan, Room: old.Room, Occupants: occupants(old.Occupants), Totals: Totals{r.Total, r.Currency}}
	if !equal(item.Room, old.Room) {
		p.RoomsFrom, p.Reissue, before.Keys = &from, []id.Item{item.ID}, r.validKeys(item.ID)
	}
	p.Reserved = after
	p.costs(r)
	return p, p.describe(RoomChange, before, RoomOf{
		Item: item.ID, RoomType: item.RoomType, RatePlan: item.RatePlan, Room: item.Room, Occupants: occupants(item.Occupants),
		Totals: Totals{after.Total, r.Currency}, Complimentary: m.Complimentary,
	})
}

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

// addRoom plans another room at the given price.
func (r *Reservation) addRoom(act id.Request, asked AskedItem, price Price) (*Plan, error) {
	after, priced := r.reserved(), price.Items[0]
	item := Item{
		ID: id.Derive[id.Item](act, "item"), Position: r.Items[len(r.Items)-1].Position + 1, RoomType: asked.RoomType, RatePlan: asked.RatePlan,
		Occupants: asked.Occupants, Nightly: priced.Nightly, Total: priced.Total, Policy: priced.Policy,
	}
	if item.Policy == nil {
		item.Policy = &price.Policy
	}
	p := &Plan{}
	after.Items = append(after.Items, item)
	after.Allocations = append(after.Allocations, p.take(act, item, r.Stay))
	r.setTotals(&after, r.Total, price.Totals)
	p.Reserved = after
	p.costs(r)
	return p, p.describe(RoomAdded, TotalsOf{Totals{r.Total, r.Currency}}, roomOf(item, Totals{after.Total, r.Currency}))
}

// removeRoom plans to give up a room. What its policy keeps for a cancellation stays part of the price.
func (r *Reservation) removeRoom(at int, now time.Time) (*Plan, error) {
	if len(r.Items) == 1 {
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/itemId", Rule: "last", Message: "is the last room: cancel the reservation instead"})
	}
	after, item := r.reserved(), r.Items[at]
	penalty := money.Micro(0)
	if !now.Before(r.deadline(item)) {
		penalty = r.amount(r.part(item, r.policyOf(item).late(r.Stay.Nights())))
	}
	p := &Plan{Releases: []id.Allocation{r.Hold.Allocations[at]}}
	p.PolicyRef = r.policyOf(item).Ref
	after.Items, after.Allocations = slices.Delete(after.Items, at, at+1), slices.Delete(after.Allocations, at, at+1)
	kept := r.Total - r.priceOf(item, r.Stay.Start) + penalty
	none := money.Micro(0)
	r.setTotals(&after, kept, PriceTotals{Own: Own{OwnTotal: &none}})
	if item.Room != nil {
		start := r.Stay.Start
		p.RoomsFrom, p.Reissue = &start, []id.Item{item.ID}
	}
	p.Reserved = after
	p.costs(r)
	return p, p.describe(RoomRemoved, roomOf(item, Totals{r.Total, r.Currency}), TotalsOf{Totals{after.Total, r.Currency}})
}

func roomOf(item Item, totals Totals) RoomOf {
	return RoomOf{Item: item.ID, RoomType: item.RoomType, RatePlan: item.RatePlan, Room: item.Room, Occupants: occupants(item.Occupants), Totals: totals}
}

// changeRate plans another nightly rate for the nights that are not slept yet. Taxes stay as they are.
func (r *Reservation) changeRate(at int, nightly money.Micro, reason Text, from stay.Date) (*Plan, error) {
	after := r.reserved()
	item := &after.Items[at]
	delta := (nightly - item.Nightly) * money.Micro(Stay{Start: from, End: r.Stay.End}.Nights())
	item.Nightly, item.Total = nightly, item.Total+delta
	none := money.Micro(0)
	r.setTotals(&after, r.Total+delta, PriceTotals{Own: Own{OwnTotal: &none}})
	if after.Total <= 0 || item.Total < 0 {
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/nightlyRateMicro", Rule: "range", Message: "must leave a total above zero"})
	}
	p := &Plan{Reserved: after}
	p.costs(r)
	side := func(item Item, total money.Micro, reason Text) RateOf {
		return RateOf{Item: &item.ID, Nightly: &item.Nightly, Totals: &Totals{total, r.Currency}, Reason: reason}
	}
	return p, p.describe(RateChange, side(r.Items[at], r.Total, ""), side(*item, after.Total, reason))
}

// correctChannel plans another sales channel.
func (r *Reservation) correctChannel(to Channel, partner Reference, reason Text) (*Plan, error) {
	if !slices.Contains([]State{Confirmed, CheckInStarted, CheckedIn, CheckoutStarted, CheckedOut, NoShow}, r.State) {
		return nil, ErrIllegalTransition
	}
	p := &Plan{Reserved: r.reserved()}
	p.Reserved.Channel, p.Reserved.Partner = to, partner
	return p, p.describe(ChannelCorrected, ChannelOf{Channel: r.Channel, Partner: r.Partner}, ChannelOf{Channel: to, Partner: partner, Reason: reason})
}

// accept returns an error for a price that does not answer the question.
func (a Ask) accept(p Price) error {
	if err := p.answers(a); err != nil {
		return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("pricing: %w", err))
	}
	return nil
}
