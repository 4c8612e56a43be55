package hotel

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Inventory is the client of the inventory service.
type Inventory struct{ client *upstream.Client }

// OpenInventory returns the client.
func OpenInventory(e env.Env) Inventory {
	return Inventory{upstream.Open(e, "inventory", upstream.Policy{Timeout: 700 * time.Millisecond, Retries: 1})}
}

// RoomsLeft returns the number of rooms of each type that are free on the fullest night of the stay. It is not binding: only
// a hold is.
func (i Inventory) RoomsLeft(ctx context.Context, s Search) (map[id.RoomType]int, error) {
	var out struct {
		Property  id.Property `json:"propertyId"`
		RoomTypes []struct {
			ID   id.RoomType `json:"roomTypeId"`
			Left int         `json:"unitsLeft"`
		} `json:"roomTypes"`
	}
	if err := i.client.Get(ctx, "/availability", s.nights(), &out, upstream.Tenant(s.Tenant)); err != nil {
		return nil, fmt.Errorf("inventory: left in %s: %w", s.Property, err)
	}
	if out.Property != s.Property || out.RoomTypes == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("inventory: left: incomplete"))
	}
	left := make(map[id.RoomType]int, len(out.RoomTypes))
	for _, r := range out.RoomTypes {
		left[r.ID] = max(0, r.Left)
	}
	return left, nil
}

// Pricing is the client of the pricing service.
type Pricing struct{ client *upstream.Client }

// OpenPricing returns the client.
func OpenPricing(e env.Env) Pricing {
	return Pricing{upstream.Open(e, "pricing", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})}
}

// Offers are the prices of a stay by room type, the cheapest first.
type Offers []RoomOffers

// RoomOffers holds the prices of one room type, the cheapest first.
type RoomOffers struct {
	RoomType id.RoomType `json:"roomTypeId"`
	Rates    []Offer     `json:"rates"`
}

// An Offer is the price of the whole stay at one rate.
type Offer struct {
	RatePlan id.RatePlan `json:"ratePlanId"`
	Nightly  money.Micro `json:"nightlyMicro"`
	Total    money.Micro `json:"totalMicro"`
	Policy   *Policy     `json:"cancellationPolicy"`
}

// Offers returns the prices of all room types at all rates. They are for display only: a booking uses a quote.
func (p Pricing) Offers(ctx context.Context, s Search) (Offers, error) {
	query := s.nights()
	query.Set("tenantId", s.Tenant.String())
	query.Set("adults", strconv.Itoa(s.Occupancy.Adults))
	query.Set("children", strconv.Itoa(s.Occupancy.Children))
	query.Set("rooms", strconv.Itoa(s.Occupancy.Rooms))
	query.Set("currency", string(s.Currency))
	var out struct {
		Property  id.Property    `json:"propertyId"`
		Currency  money.Currency `json:"currency"`
		RoomTypes Offers         `json:"roomTypes"`
	}
	if err := p.client.Get(ctx, "/cheapest", query, &out, upstream.Tenant(s.Tenant)); err != nil {
		return nil, fmt.Errorf("pricing: offers of %s: %w", s.Property, err)
	}
	if out.Property != s.Property || out.Currency != s.Currency || out.RoomTypes == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("pricing: offers: the answer is incomplete or does not match the request"))
	}
	return out.RoomTypes, nil
}

// A Policy is a cancellation policy.
type Policy struct {
	Ref            string `json:"ref"`
	FreeUntil      int    `json:"freeUntilHoursBefore"`
	PenaltyPercent int    `json:"penaltyPercent"`
	PenaltyNights  int    `json:"penaltyNights,omitzero"` // instead of the percentage
	Description    string `json:"description"`
}

// A Search is a request for rooms of a property.
type Search struct {
	Tenant    id.Tenant
	Property  id.Property
	Stay      Stay
	Occupancy Occupancy
	Currency  money.Currency
}

func (s Search) nights() url.Values {
	return url.Values{"propertyId": {s.Property.String()}, "start": {s.Stay.CheckIn.String()}, "end": {s.Stay.CheckOut.String()}}
}
