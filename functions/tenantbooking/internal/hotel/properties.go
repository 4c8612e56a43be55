package hotel

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

// Properties is the client of the property service.
type Properties struct{ client *upstream.Client }

// OpenProperties returns the client.
func OpenProperties(e env.Env) Properties {
	return Properties{upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})}
}

// A Property is a property of a tenant, with its room types and rate plans.
type Property struct {
	ID       id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	Name     locale.Text `json:"name"`
	TimeZone string      `json:"timeZone"`
	Contact
	RoomTypes []RoomType `json:"roomTypes"`
	RatePlans []RatePlan `json:"ratePlans"`
}

// A Contact is how guests reach a property. Members that the property service does not know are empty.
type Contact struct {
	Address  string `json:"address,omitzero"`
	City     string `json:"city,omitzero"`
	Country  string `json:"country,omitzero"`       // ISO 3166-1
	Phone    string `json:"phone,omitzero"`         // of the reception
	CheckIn  string `json:"checkInFrom,omitzero"`   // at the property, for example 14:00
	CheckOut string `json:"checkOutUntil,omitzero"` // at the property
}

// A RoomType is a room type in all its languages.
type RoomType struct {
	ID           id.RoomType         `json:"roomTypeId"`
	Name         string              `json:"name"`
	Description  string              `json:"description"`
	Localized    map[string]RoomText `json:"localized"`
	MaxOccupancy int                 `json:"maxOccupancy"`
	Photos       []Photo             `json:"photos"`
}

// A RoomText is the name and the description of a room type in one language.
type RoomText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A RatePlan is a rate plan of a room type.
type RatePlan struct {
	ID       id.RatePlan `json:"ratePlanId"`
	RoomType id.RoomType `json:"roomTypeId"`
	Name     string      `json:"name"`
	MealPlan string      `json:"mealPlan"`
	Policy   *Policy     `json:"cancellationPolicy"`
}

// A Photo is a picture and its description.
type Photo struct {
	URL  string      `json:"url"`
	Alt  locale.Text `json:"alt"`
	Hero bool        `json:"isHero"`
}

// Get returns a property of the tenant. It returns fault.ErrNotFound for an unknown property and for one of another tenant.
func (p Properties) Get(ctx context.Context, tenant id.Tenant, property id.Property) (h Property, err error) {
	err = p.client.Get(ctx, "/properties/"+property.String(), nil, &h, upstream.Tenant(tenant))
	switch {
	case err != nil:
		return Property{}, fmt.Errorf("properties: get %s: %w", property, err)
	case h.ID != property || h.Tenant.IsZero():
		return Property{}, fault.ErrUpstreamUnavailable.Because(errors.New("properties: get: incomplete"))
	case h.Tenant != tenant:
		return Property{}, fault.ErrNotFound
	}
	return h, nil
}

// List returns all properties of the tenant. Their rate plans have no policies, because those change when a price is published.
func (p Properties) List(ctx context.Context, tenant id.Tenant) ([]Property, error) {
	var out struct {
		Properties []Property `json:"properties"`
	}
	if err := p.client.Get(ctx, "/properties", url.Values{"tenantId": {tenant.String()}}, &out, upstream.Tenant(tenant)); err != nil {
		return nil, fmt.Errorf("properties: list of %s: %w", tenant, err)
	}
	foreign := func(h Property) bool { return h.ID.IsZero() || h.Tenant != tenant }
	if out.Properties == nil || slices.ContainsFunc(out.Properties, foreign) {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("properties: list: the answer is incomplete, or for another tenant"))
	}
	for i := range out.Properties {
		for n := range out.Properties[i].RatePlans {
			out.Properties[i].RatePlans[n].Policy = nil
		}
	}
	return out.Properties, nil
}

// A HouseRule is information for the guests of a property, in all its languages.
type HouseRule struct {
	Property id.Property `json:"propertyId"`
	Kind     string      `json:"kind"`
	Title    locale.Text `json:"title"`
	Text     locale.Text `json:"text"`
}

// Rules returns the house rules of all properties of the tenant.
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
