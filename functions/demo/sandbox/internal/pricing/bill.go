package pricing

import (
	"math/big"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A bill prices rooms night by night and sums the lines that the guest sees. It keeps its first error.
type bill struct {
	tariff   Tariff
	nights   map[weekday]night // price once: a stay may have 20 rooms and a year of nights
	rooms    []Line
	discount money.Micro
	charges  []money.Micro // in the order of the tariff
	err      error
}

// A weekday selects the price of a plan's nights. Monday is 0.
type weekday struct {
	plan id.RatePlan
	day  int
}

// A night holds the amounts of one room for one night. Each is rounded.
type night struct {
	rate, discount money.Micro
	room           money.Micro   // the rate after discount
	charges        []money.Micro // in the order of the tariff; 0 for a fee of the stay or booking
	amount         money.Micro   // the room and all charges
}

func newBill(t Tariff) *bill {
	return &bill{tariff: t, nights: map[weekday]night{}, charges: make([]money.Micro, len(t.Charges))}
}

// room prices one room and adds it to the lines.
func (b *bill) room(plan Plan, wish Wish, w stay.Window) PricedItem {
	item := PricedItem{RoomType: wish.RoomType, RatePlan: wish.RatePlan, Policy: plan.Policy, Nights: make([]PricedNight, 0, w.Nights())}
	line := Line{Kind: "room", Description: plan.Name}
	var rooms money.Micro
	for _, d := range w.Dates() {
		n := b.night(plan, weekday{wish.RatePlan, standin.Monday(d)})
		item.Nights = append(item.Nights, PricedNight{Date: d, Amount: n.amount, Room: n.room})
		item.Total = b.sum(item.Total, n.amount)
		rooms = b.sum(rooms, n.room)
		line.Amount = b.sum(line.Amount, n.rate)
		b.discount = b.sum(b.discount, n.discount)
		for i, amount := range n.charges {
			b.charges[i] = b.sum(b.charges[i], amount)
		}
	}
	b.rooms = append(b.rooms, line)
	item.Extras, item.Total = b.extras(PerStay, item.Total)
	item.NightlyRate = rooms / money.Micro(w.Nights())
	return item
}

func (b *bill) night(plan Plan, day weekday) night {
	if n, ok := b.nights[day]; ok {
		return n
	}
	t := b.tariff
	var n night
	n.rate = b.round(t.converted(plan.Weekdays[day.day]))
	n.discount = b.round(share(n.rate, -t.Promo.Percent, whole))
	n.room = b.sum(n.rate, n.discount)
	n.amount = n.room
	n.charges = make([]money.Micro, len(t.Charges))
	for i, c := range t.Charges {
		switch {
		case c.BasisPoints > 0:
			n.charges[i] = b.round(share(n.room, c.BasisPoints, basisPoints))
		case c.Per == PerNight, c.Per == "":
			n.charges[i] = b.round(t.converted(c.Amount))
		}
		n.amount = b.sum(n.amount, n.charges[i])
	}
	b.nights[day] = n
	return n
}

// extras returns the fees that are charged per stay or per booking, and the total after them.
func (b *bill) extras(per string, total money.Micro) (all []Line, after money.Micro) {
	for i, c := range b.tariff.Charges {
		if c.Per != per {
			continue
		}
		amount := b.round(b.tariff.converted(c.Amount))
		all = append(all, Line{Kind: c.Kind, Description: c.Description, Amount: amount})
		b.charges[i] = b.sum(b.charges[i], amount)
		total = b.sum(total, amount)
	}
	return all, total
}

// lines returns the bill as shown to the guest: each room, the discount, and each charge.
func (b *bill) lines() []Line {
	all := b.rooms
	if promo := b.tariff.Promo; promo.Percent > 0 {
		all = append(all, Line{Kind: "discount", Description: promo.Code, Amount: b.discount})
	}
	for i, c := range b.tariff.Charges {
		all = append(all, Line{Kind: c.Kind, Description: c.Description, Amount: b.charges[i]})
	}
	return all
}

func (b *bill) sum(m, n money.Micro) money.Micro {
	sum, err := m.Plus(n)
	b.fail(err)
	return sum
}

func (b *bill) round(r *big.Rat) money.Micro {
	m, err := round(r)
	b.fail(err)
	return m
}

func (b *bill) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}
