package frontdesk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/stay"
)

// A Hotel is a property as the property service describes it.
type Hotel struct {
	ID        id.Property `json:"propertyId"`
	Tenant    id.Tenant   `json:"tenantId"`
	Name      locale.Text `json:"name"`
	City      string      `json:"city"`
	TimeZone  string      `json:"timeZone"`
	Address   string      `json:"address"`
	Country   string      `json:"country"`
	Phone     string      `json:"phone"`
	RoomTypes []RoomType  `json:"roomTypes"`
	RatePlans []RatePlan  `json:"ratePlans"`
}

// A RoomType is a kind of room.
type RoomType struct {
	ID        id.RoomType         `json:"roomTypeId"`
	Name      string              `json:"name"`
	Sleeps    int                 `json:"maxOccupancy"`
	Localized map[string]roomText `json:"localized"`
}

type roomText struct {
	Name string `json:"name"`
}

// A RatePlan is a set of terms for selling a room type.
type RatePlan struct {
	ID       id.RatePlan `json:"ratePlanId"`
	RoomType id.RoomType `json:"roomTypeId"`
	Name     string      `json:"name"`
	MealPlan string      `json:"mealPlan"`
}

// A Room is one physical room.
type Room struct {
	ID         id.Room     `json:"roomId"`
	RoomType   id.RoomType `json:"roomTypeId"`
	Number     string      `json:"number"`
	OutOfOrder *struct {
		From  stay.Date `json:"from"`
		Until stay.Date `json:"until"`
	} `json:"outOfOrder"` // the current or next period
}

// IsOut reports whether the room is out of order in one of the nights.
func (r Room) IsOut(from, until stay.Date) bool {
	return r.OutOfOrder != nil && r.OutOfOrder.From.Before(until) && from.Before(r.OutOfOrder.Until)
}

// hotels are the clients of the services that know the hotels and their staff.
type hotels struct{ search, property, tenant, iam, payment, inventory *upstream.Client }

func openHotels(e env.Env) hotels {
	return hotels{search: openUpstream(e, "search"), property: openUpstream(e, "property"), tenant: openUpstream(e, "tenant"),
		iam: openUpstream(e, "iam"), payment: openUpstream(e, "payment"), inventory: openUpstream(e, "inventory")}
}

// Get returns a property of any tenant.
func (h hotels) Get(ctx context.Context, p id.Property) (*Hotel, error) {
	var out Hotel
	if err := h.property.Get(ctx, "/properties/"+p.String(), nil, &out); err != nil {
		return nil, fmt.Errorf("frontdesk: property %s: %w", p, err)
	}
	return &out, nil
}

// currency returns the currency of a hotel's prices.
func (h hotels) currency(ctx context.Context, t id.Tenant) (money.Currency, error) {
	var out struct {
		Currency money.Currency `json:"currency"`
	}
	if err := h.tenant.Get(ctx, "/tenants/"+t.String(), nil, &out); err != nil {
		return "", fmt.Errorf("frontdesk: tenant %s: %w", t, err)
	}
	return out.Currency, nil
}

// sampleDays is the distance to a night in which the search finds all hotels: no hotel is full that far ahead.
const sampleDays = 90

// All returns the hotels by city and name. The search knows them all, but only as the answer to a question for a room.
func (h hotels) All(ctx context.Context, now time.Time, l locale.Tag) ([]*Hotel, error) {
	day := stay.DateOf(now).AddDays(sampleDays)
	in := map[string]any{
		"geo":       map[string]any{"mode": "bounding-box", "boundingBox": map[string]float64{"swLat": -90, "swLng": -180, "neLat": 90, "neLng": 179}},
		"dates":     map[string]any{"checkIn": day, "checkOut": day.AddDays(1)},
		"occupancy": map[string]int{"adults": 1, "children": 0, "rooms": 1},
		"sortKey":   "recommended", "page": map[string]int{"limit": 200, "offset": 0}, "currency": money.USD,
	}
	var out struct {
		Listings []*Hotel `json:"listings"`
	}
	if err := h.search.Post(ctx, "/searches", in, &out, upstream.Read()); err != nil {
		return nil, fmt.Errorf("frontdesk: hotels: %w", err)
	}
	slices.SortFunc(out.Listings, func(a, b *Hotel) int {
		return cmp.Or(cmp.Compare(a.City, b.City), cmp.Compare(a.Name.In(l), b.Name.In(l)))
	})
	return out.Listings, nil
}
