package tenantbooking

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Properties is the property service.
type Properties struct{ client *upstream.Client }

// OpenProperties opens the client.
func OpenProperties(e env.Env) Properties {
	return Properties{upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})}
}

// A House is one of a hotel company's hotels, with what it lets.
type House struct {
	ID        id.Property `json:"propertyId"`
	Tenant    id.Tenant   `json:"tenantId"`
	Name      locale.Text `json:"name"`
	TimeZone  string      `json:"timeZone"`
	RoomTypes []RoomType  `json:"roomTypes"`
	RatePlans []RatePlan  `json:"ratePlans"`
}

// A RoomType is a kind of room, in all languages that it is described in.
type RoomType struct {
	ID           id.RoomType         `json:"roomTypeId"`
	Name         string              `json:"name"`
	Description  string              `json:"description"`
	Localized    map[string]RoomText `json:"localized"`
	MaxOccupancy int                 `json:"maxOccupancy"`
	Photos       []Photo             `json:"photos"`
}

// A RoomText is what a room is called in one language.
type RoomText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A RatePlan is one set of terms on which a kind of room is let.
type RatePlan struct {
	ID       id.RatePlan `json:"ratePlanId"`
	RoomType id.RoomType `json:"roomTypeId"`
	Name     string      `json:"name"`
	MealPlan string      `json:"mealPlan"`
	Policy   *Policy     `json:"cancellationPolicy"`
}

// A Photo is a picture with what it shows.
type Photo struct {
	URL  string      `json:"url"`
	Alt  locale.Text `json:"alt"`
	Hero bool        `json:"isHero"`
}

// Get returns a house of the hotel, or ErrNotFound: a house of another hotel is not found either.
func (p Properties) Get(ctx context.Context, tenant id.Tenant, property id.Property) (h House, err error) {
	err = p.client.Get(ctx, "/properties/"+property.String(), nil, &h, upstream.Tenant(tenant))
	switch {
	case err != nil:
		return House{}, fmt.Errorf("properties: get %s: %w", property, err)
	case h.ID != property || h.Tenant.IsZero():
		return House{}, fault.ErrUpstreamUnavailable.Because(errors.New("properties: get: incomplete"))
	case h.Tenant != tenant:
		return House{}, ErrNotFound
	}
	return h, nil
}

// List returns all houses of the hotel without their rates, which change with each publication of a price.
func (p Properties) List(ctx context.Context, tenant id.Tenant) ([]House, error) {
	var out struct {
		Properties []House `json:"properties"`
	}
	if err := p.client.Get(ctx, "/properties", url.Values{"tenantId": {tenant.String()}}, &out, upstream.Tenant(tenant)); err != nil {
		return nil, fmt.Errorf("properties: list of %s: %w", tenant, err)
	}
	foreign := func(h House) bool { return h.ID.IsZero() || h.Tenant != tenant }
	if out.Properties == nil || slices.ContainsFunc(out.Properties, foreign) {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("properties: list: incomplete, or another hotel's"))
	}
	for i := range out.Properties {
		out.Properties[i].RatePlans = nil
	}
	return out.Properties, nil
}

// A HouseRule is one thing that a house's guests should know, in all languages that it is written in.
type HouseRule struct {
	Property id.Property `json:"propertyId"`
	Kind     string      `json:"kind"`
	Title    locale.Text `json:"title"`
	Text     locale.Text `json:"text"`
}

// Rules are the rules of all houses of the hotel.
func (p Properties) Rules(ctx context.Context, tenant id.Tenant) ([]HouseRule, error) {
	var out struct {
		Policies []HouseRule `json:"policies"`
	}
	if err := p.client.Get(ctx, "/policies", url.Values{"tenantId": {tenant.String()}}, &out, upstream.Tenant(tenant)); err != nil {
		return nil, fmt.Errorf("properties: rules of %s: %w", tenant, err)
	}
	if out.Policies == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("properties: rules: incomplete"))
	}
	return out.Policies, nil
}
