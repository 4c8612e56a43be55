package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// price asks the pricing service for items of a reservation, with the promotion code of its quote.
func (c *Changer) price(ctx context.Context, r *Reservation, items []Item, nights stay.Window) (quotes.Price, error) {
	ask := r.priced(items, nights)
	p, err := c.pricing(ctx, r.Tenant, ask)
	if err == nil {
		err = ask.Accept(p)
	}
	return p, err
}

// Dates proposes another stay.
func (c *Changer) Dates(act id.Request, to stay.Window) Proposal {
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		nights, err := r.datesAsk(to, c.now())
		if err != nil {
			return nil, err
		}
		price, err := c.price(ctx, r, r.Items, nights)
		if err != nil {
			return nil, err
		}
		return r.changeDates(act, to, nights, price)
	}
}

// GuestDates proposes another stay for the guest of a confirmed reservation. It returns ErrChangeNotAllowed from the moment at which a
// cancellation would cost a penalty, and ErrPriceChanged if the new total is higher than the maximum, which is what the guest was shown.
func (c *Changer) GuestDates(act id.Request, to stay.Window, maximum *money.Micro) Proposal {
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		switch {
		case r.EffectiveState() != Confirmed:
			return nil, ErrIllegalTransition
		case r.changedTo(to):
			return nil, errSameDates
		case !c.now().Before(*r.freeUntil()):
			return nil, ErrChangeNotAllowed
		}
		p, err := c.Dates(act, to)(ctx, r)
		if err == nil && maximum != nil && p.Reserved.Total > *maximum {
			return nil, ErrPriceChanged
		}
		return p, err
	}
}

// Occupants proposes other guests in a room.
func (c *Changer) Occupants(item id.Item, to stay.Occupants) Proposal {
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		at, from, err := r.itemToChange(item, c.now())
		if err != nil {
			return nil, err
		}
		wanted := r.Items[at]
		wanted.Occupants = to
		price, err := c.price(ctx, r, []Item{wanted}, r.nightsFrom(from))
		if err != nil {
			return nil, err
		}
		return r.changeOccupants(at, to, from, price)
	}
}

// itemToChange returns the index of an item and the first night that a change of it can concern.
func (r *Reservation) itemToChange(item id.Item, now time.Time) (at int, from stay.Date, err error) {
	if from, err = r.changeable(now); err != nil {
		return 0, from, err
	}
	at, err = r.itemAt(item)
	return at, from, err
}

// Room proposes another type, rate or physical room for an item.
func (c *Changer) Room(act id.Request, m RoomMove) Proposal {
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		at, from, err := r.itemToChange(m.Item, c.now())
		if errors.Is(err, ErrIllegalTransition) && r.State == CheckedIn && m.physical() { // until check-out, also after the last night
			from = r.businessDate(c.now())
			at, err = r.itemAt(m.Item)
		}
		if err != nil {
			return nil, err
		}
		wanted := r.Items[at]
		m.on(&wanted)
		var price *quotes.Price
		if other := wanted.RoomType != r.Items[at].RoomType || wanted.RatePlan != r.Items[at].RatePlan; other && !m.Complimentary {
			p, err := c.price(ctx, r, []Item{wanted}, r.nightsFrom(from))
			if err != nil {
				return nil, err
			}
			price = &p
		}
		var of []Room
		if m.Room != nil {
			if of, err = c.rooms(ctx, r.Tenant, r.Property); err != nil {
				return nil, err
			}
		}
		return r.changeRoom(act, at, m, from, price, of)
	}
}

// Add proposes another room. It is possible before the check-in.
func (c *Changer) Add(act id.Request, asked quotes.AskedItem) Proposal {
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		switch from, err := r.changeable(c.now()); {
		case err != nil:
			return nil, err
		case r.State != Confirmed:
			return nil, r.illegal()
		case from != r.Stay.Start:
			return nil, r.illegalBecause("A night of the stay has passed.")
		}
		if len(r.Items) >= stay.MaxRooms {
			return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/item", Rule: "length", Message: fmt.Sprintf("would be room %d of at most %d", len(r.Items)+1, stay.MaxRooms)})
		}
		wanted := Item{RoomType: asked.RoomType, RatePlan: asked.RatePlan, Occupants: asked.Occupants}
		price, err := c.price(ctx, r, []Item{wanted}, r.Stay)
		if err != nil {
			return nil, err
		}
		return r.addRoom(act, asked, price)
	}
}

// Remove proposes to give up a room. It is possible before the guests of the room have arrived.
func (c *Changer) Remove(item id.Item) Proposal {
	return func(_ context.Context, r *Reservation) (*Plan, error) {
		at, _, err := r.itemToChange(item, c.now())
		if err == nil && r.Items[at].ArrivedAt != nil {
			err = r.illegal()
		}
		if err != nil {
			return nil, err
		}
		return r.removeRoom(at, c.now())
	}
}

// Rate proposes another nightly rate.
func (c *Changer) Rate(item id.Item, nightly money.Micro, reason Text) Proposal {
	return func(_ context.Context, r *Reservation) (*Plan, error) {
		at, from, err := r.itemToChange(item, c.now())
		if err != nil {
			return nil, err
		}
		if nightly%r.Currency.MinorUnit() != 0 {
			return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/nightlyRateMicro", Rule: "unit", Message: "must be whole minor units of the currency"})
		}
		return r.changeRate(at, nightly, reason, from)
	}
}

// Channel proposes another sales channel.
func (c *Changer) Channel(to Channel, partner Reference, reason Text) Proposal {
	return func(_ context.Context, r *Reservation) (*Plan, error) { return r.correctChannel(to, partner, reason) }
}

// Override proposes the return to an earlier state.
func (c *Changer) Override(act id.Request, to State, reason Text) Proposal {
	return func(_ context.Context, r *Reservation) (*Plan, error) { return r.override(act, to, reason, c.now()) }
}
