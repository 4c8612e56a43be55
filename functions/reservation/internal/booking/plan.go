package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Plan is a change of a booked reservation (decision 104). If the change needs the inventory service, the plan is stored before
// inventory is asked, so that the change is completed or dropped even if this process ends in between: see [Changer].
type Plan struct {
	Modification
	Takes     []Take           `json:"takes"`              // the rooms to ask inventory for
	Releases  []id.Allocation  `json:"releases"`           // the rooms to release in the same step
	Reserved  Reserved         `json:"reserved"`           // the reservation after the change
	Retained  []account.Charge `json:"retained,omitempty"` // penalties that the change keeps
	RoomsFrom *stay.Date       `json:"roomsFrom,omitzero"` // the assigned rooms change from that night on
	Paid      *id.Intent       `json:"paid,omitzero"`      // the payment of a PendingChange, refunded if inventory refuses
	Reissue   []id.Item        `json:"reissue,omitzero"`   // the items whose keys are replaced, or revoked if the guest is not in house
}

// A Take is a request for one room.
type Take struct {
	Allocation id.Allocation `json:"allocationId"`
	RoomType   id.RoomType   `json:"roomTypeId"`
	Units      int           `json:"units"`
	Stay       stay.Window   `json:"stayWindow"`
}

// Reserved are the members of a reservation that a Plan can change.
type Reserved struct {
	State       State           `json:"state"`
	Stay        stay.Window     `json:"stayWindow"`
	Items       []Item          `json:"items"`
	Allocations []id.Allocation `json:"allocationIds"` // one per item, in the same order
	Extras      []quotes.Line   `json:"extras"`
	Total       money.Micro     `json:"grandTotalMicro"`
	FX          *quotes.FX      `json:"fxSnapshot,omitzero"`
	Channel     Channel         `json:"channel"`
	Partner     Reference       `json:"partnerId,omitzero"`
}

// reserved returns a copy of the members that a Plan can change.
func (r *Reservation) reserved() Reserved {
	return Reserved{
		State: r.State, Stay: r.Stay, Items: slices.Clone(r.Items), Allocations: slices.Clone(r.Hold.Allocations),
		Extras: r.Extras, Total: r.Total, FX: r.FX, Channel: r.Channel, Partner: r.Partner,
	}
}

// keepArrivals sets the arrivals of the items as they are now: the previous version of the code drops them from a stored plan. Only the
// return to Confirmed has none.
func (after *Reserved) keepArrivals(now []Item) {
	for i := range after.Items {
		item := &after.Items[i]
		if at := slices.IndexFunc(now, func(n Item) bool { return n.ID == item.ID }); at >= 0 && after.State != Confirmed {
			item.ArrivedAt = now[at].ArrivedAt
		}
	}
}

// errChanging rejects an act on a reservation whose change is not complete yet.
var errChanging = fault.ErrUnavailable.Saying("A change of this reservation is still being completed. Try again.")

// prepare stores a plan that inventory must agree to. The rooms of the plan are reserved together with the present ones.
func (r *Reservation) prepare(p *Plan, now time.Time) {
	r.await(AwaitReallocation, now)
	r.Saga.Plan = p
	r.Version++
	if p.RoomsFrom != nil {
		r.roomsChange(*p.RoomsFrom)
	}
}

// drop forgets a plan that inventory has refused.
func (r *Reservation) drop() {
	if r.Saga.Plan.RoomsFrom != nil {
		r.roomsChange(*r.Saga.Plan.RoomsFrom)
	}
	r.Saga = Saga{}
	r.Version++
}

// apply makes the change of a plan and records it as a modification. What the guest has paid too much is requested to be
// refunded; what is due is requested to be charged.
func (r *Reservation) apply(p *Plan, now time.Time) error {
	was, paid := r.State, r.Payment.kept()
	p.Reserved.keepArrivals(r.Items)
	r.State, r.Stay, r.Items, r.Hold.Allocations = p.Reserved.State, p.Reserved.Stay, p.Reserved.Items, p.Reserved.Allocations
	r.Extras, r.FX, r.Channel, r.Partner = p.Reserved.Extras, p.Reserved.FX, p.Reserved.Channel, p.Reserved.Partner
	if len(p.Takes) > 0 {
		r.LostAt = nil
	}
	r.Change, r.unsaved.items = nil, true // a pending change was for the booking before
	if p.RoomsFrom != nil {
		r.roomsChange(*p.RoomsFrom)
	}
	if r.State != was {
		r.reinstate(was, p, now)
	}
	r.Saga = Saga{}
	m := p.Modification
	r.post(account.Posting{Cause: account.ByModification, Modification: &m.ID, At: now, Adjusts: m.Type == RateChange}, p.Retained...)
	if m.PriceDelta != nil && *m.PriceDelta != 0 {
		m.Request = r.settle(*m.PriceDelta, paid)
	}
	if err := r.modify(m, m.Before, m.After); err != nil {
		return err
	}
	switch {
	case len(p.Reissue) > 0 && r.State == CheckedIn:
		r.wantKeys(now, p.Reissue...)
	case len(p.Reissue) > 0:
		r.revokeKeys(p.Reissue...)
	}
	if len(r.keys(KeyPending)) > 0 {
		r.await(AwaitKeys, now)
	}
	return nil
}

// settle requests the refund of what was paid beyond the new price, or the charge of what is due. It returns nil if neither
// is needed.
func (r *Reservation) settle(delta, paid money.Micro) *MoneyRequest {
	if over := paid - r.priceDue(); delta < 0 && over > 0 {
		back := r.refunds(over, "modification")
		r.Payment.Requested = append(slices.Clone(r.Payment.Requested), back...)
		request := &MoneyRequest{Amount: over, Direction: "refund"}
		if len(back) == 1 {
			request.Refund, request.Intent = back[0].ID, &back[0].Intent
		} else {
			request.Refunds = back
		}
		return request
	}
	if due := r.due(); delta > 0 && due > 0 {
		return &MoneyRequest{Amount: due, Direction: "charge"}
	}
	return nil
}

// take asks for a room of an item from a night on, under an id that derives from the act.
func (p *Plan) take(act id.Request, item Item, nights stay.Window) id.Allocation {
	allocation := id.Derive[id.Allocation](act, "item/"+item.ID.String())
	p.Takes = append(p.Takes, Take{Allocation: allocation, RoomType: item.RoomType, Units: 1, Stay: nights})
	return allocation
}
