package storefront

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/upstream"
)

// Houses is the property service, as far as the pages need it.
type Houses struct{ client *upstream.Client }

// OpenHouses opens the client.
func OpenHouses(e env.Env) Houses {
	return Houses{upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})}
}

// A House is one of a hotel company's hotels.
type House struct {
	ID        id.Property `json:"propertyId"`
	Name      locale.Text `json:"name"`
	TimeZone  string      `json:"timeZone"`
	RoomTypes []RoomType  `json:"roomTypes"`
}

// A RoomType is a kind of room, by its name in all languages.
type RoomType struct {
	ID        id.RoomType         `json:"roomTypeId"`
	Name      string              `json:"name"`
	Localized map[string]RoomText `json:"localized"`
}

// A RoomText is what a room is called in one language.
type RoomText struct {
	Name string `json:"name"`
}

// Of lists a tenant's houses, by name.
func (h Houses) Of(ctx context.Context, tenant id.Tenant) ([]House, error) {
	var out struct {
		Properties []House `json:"properties"`
	}
	if err := h.client.Get(ctx, "/properties", url.Values{"tenantId": {tenant.String()}}, &out, upstream.Tenant(tenant)); err != nil {
		return nil, fmt.Errorf("houses: of %s: %w", tenant, err)
	}
	if out.Properties == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("houses: of: incomplete"))
	}
	return out.Properties, nil
}

// Get reads one house, whosever it is.
func (h Houses) Get(ctx context.Context, property id.Property) (house House, err error) {
	if err := h.client.Get(ctx, "/properties/"+property.String(), nil, &house); err != nil {
		return House{}, fmt.Errorf("houses: get %s: %w", property, err)
	}
	return house, nil
}
