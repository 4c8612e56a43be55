package hotel

import (
	"context"
	"strconv"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Rooms finds a property's rooms for a stay, from three services concurrently.
type Rooms struct {
	properties     CachedProperties
	inventory      Inventory
	pricing        Pricing
	roomsLeftCache *cache.Cache[map[id.RoomType]int]
	offerCache     *cache.Cache[Offers]
}

// OpenRooms returns Rooms with its clients and caches. While a service is unavailable, its cached prices and room counts
// are served and marked as stale.
func OpenRooms(e env.Env) *Rooms {
	return &Rooms{
		properties:     OpenCachedProperties(e),
		inventory:      OpenInventory(e),
		pricing:        OpenPricing(e),
		roomsLeftCache: cache.Open[map[id.RoomType]int](e, "availability", cache.Policy{Fresh: 30 * time.Second, Stale: 5 * time.Minute}),
		offerCache:     cache.Open[Offers](e, "cheapest", cache.Policy{Fresh: time.Minute, Stale: 10 * time.Minute}),
	}
}

// A Result is the result of a search. A part that could not be read is nil and listed in Missing.
type Result struct {
	Property  Property
	RoomsLeft map[id.RoomType]int
	Offers    Offers
	Missing   []string
	Stale     bool
	Cache     cache.State
}

// Find returns the rooms of a property for a stay. It fails only if the property cannot be read: without prices or room
// counts the guest still sees the rooms.
func (r *Rooms) Find(ctx context.Context, s Search) (f Result, err error) {
	var property, left, offers cache.State
	var noLeft, noOffers error
	var work conc.WaitGroup
	work.Go(func() { f.Property, property, err = r.properties.Get(ctx, s.Tenant, s.Property) })
	work.Go(func() { f.RoomsLeft, left, noLeft = r.roomsLeft(ctx, s) })
	work.Go(func() { f.Offers, offers, noOffers = r.offers(ctx, s) })
	work.Wait()
	if err != nil {
		return Result{}, err
	}
	if noLeft != nil {
		f.RoomsLeft, f.Missing = nil, append(f.Missing, "inventory")
	}
	if noOffers != nil {
		f.Offers, f.Missing = nil, append(f.Missing, "pricing")
	}
	f.Stale = property == cache.Stale || left == cache.Stale || offers == cache.Stale
	f.Cache = cache.Worst(property, left, offers)
	return f, nil
}

// roomsLeft returns the free rooms. Its cache entry depends on the epochs of the stay's months, so that a booking in one
// month invalidates only that month.
func (r *Rooms) roomsLeft(ctx context.Context, s Search) (map[id.RoomType]int, cache.State, error) {
	depends := append(OfStay(s.Tenant, s.Property, s.Stay.Window()), OfProperty(s.Tenant, s.Property))
	return r.roomsLeftCache.Fetch(ctx, document.KeyOf(s.Tenant.String(), s.Property.String(), s.Stay.CheckIn.String(), s.Stay.CheckOut.String()),
		depends, func(ctx context.Context) (map[id.RoomType]int, error) { return r.inventory.RoomsLeft(ctx, s) })
}

func (r *Rooms) offers(ctx context.Context, s Search) (Offers, cache.State, error) {
	o := s.Occupancy
	key := document.KeyOf(s.Tenant.String(), s.Property.String(), s.Stay.CheckIn.String(), s.Stay.CheckOut.String(),
		strconv.Itoa(o.Adults), strconv.Itoa(o.Children), strconv.Itoa(o.Rooms), string(s.Currency))
	return r.offerCache.Fetch(ctx, key, []cache.Epoch{OfProperty(s.Tenant, s.Property)},
		func(ctx context.Context) (Offers, error) { return r.pricing.Offers(ctx, s) })
}

// A RoomView is the representation of a room type in a search result.
type RoomView struct {
	RoomTypeView
	UnitsLeft *int       `json:"unitsLeft,omitzero"`
	Rates     []RateView `json:"rates"`
}

// A RateView is the representation of a rate in a search result. Nightly is for display only: nights do not add up to
// Total.
type RateView struct {
	RatePlan    id.RatePlan  `json:"ratePlanId"`
	Name        string       `json:"name"`
	MealPlan    string       `json:"mealPlan"`
	Policy      *Policy      `json:"cancellationPolicy"`
	Nightly     *money.Minor `json:"nightly,omitzero"`
	Total       *money.Minor `json:"total,omitzero"`
	Unavailable bool         `json:"priceUnavailable"`
}

// Rooms returns the room types that the guests fit into, the cheapest first. Without prices it returns all room types.
func (f Result) Rooms(l locale.Tag, c money.Currency) []RoomView {
	rooms := []RoomView{}
	if f.Offers == nil {
		for _, r := range f.Property.RoomTypes {
			rooms = append(rooms, f.room(r, l, c, nil))
		}
		return rooms
	}
	for _, offered := range f.Offers {
		for _, r := range f.Property.RoomTypes {
			if r.ID == offered.RoomType {
				rooms = append(rooms, f.room(r, l, c, offered.Rates))
			}
		}
	}
	return rooms
}

func (f Result) room(r RoomType, l locale.Tag, c money.Currency, offers []Offer) RoomView {
	v := RoomView{RoomTypeView: r.in(l), Rates: []RateView{}}
	if f.RoomsLeft != nil {
		left := f.RoomsLeft[r.ID] // zero if inventory does not list it
		v.UnitsLeft = &left
	}
	priced := map[id.RatePlan]bool{}
	for _, o := range offers {
		for _, p := range f.Property.RatePlans {
			if p.ID == o.RatePlan && p.RoomType == r.ID {
				v.Rates, priced[p.ID] = append(v.Rates, p.at(o, c)), true
			}
		}
	}
	for _, p := range f.Property.RatePlans {
		if p.RoomType == r.ID && !priced[p.ID] {
			v.Rates = append(v.Rates, RateView{RatePlan: p.ID, Name: p.Name, MealPlan: p.MealPlan, Policy: p.Policy, Unavailable: true})
		}
	}
	return v
}

// at returns the rate with its price. The rate is marked unavailable if the price cannot be converted exactly.
func (p RatePlan) at(o Offer, c money.Currency) RateView {
	v := RateView{RatePlan: p.ID, Name: p.Name, MealPlan: p.MealPlan, Policy: p.Policy}
	if o.Policy != nil {
		v.Policy = o.Policy
	}
	total, err := money.Amount{Micro: o.Total, Currency: c}.Minor()
	if err != nil || total.Amount <= 0 {
		v.Unavailable = true
		return v
	}
	v.Total = &total
	if nightly, err := (money.Amount{Micro: o.Nightly, Currency: c}).Minor(); err == nil && nightly.Amount > 0 {
		v.Nightly = &nightly
	}
	return v
}
