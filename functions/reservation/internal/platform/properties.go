package platform

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Properties is a client of the property service with a cache.
type Properties struct {
	known *staleCache[propertyKey, quotes.Local]
}

type propertyKey struct {
	tenant   id.Tenant
	property id.Property
}

// OpenProperties opens the client. All functions of a process share its cache.
func OpenProperties(e env.Env) Properties {
	known, _ := env.Once(e, "reservation.properties", func() (*staleCache[propertyKey, quotes.Local], error) { // cannot fail
		client := upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})
		ask := func(ctx context.Context, key propertyKey) (quotes.Local, error) { return askLocal(ctx, client, key) }
		return newStaleCache(e.Now, 10*time.Minute, ask), nil
	})
	return Properties{known}
}

// Local returns the local time of a tenant's property, or booking.ErrNotFound.
func (p Properties) Local(ctx context.Context, tenant id.Tenant, property id.Property) (quotes.Local, error) {
	return p.known.get(ctx, propertyKey{tenant, property})
}

func askLocal(ctx context.Context, client *upstream.Client, key propertyKey) (quotes.Local, error) {
	var out struct {
		Tenant id.Tenant `json:"tenantId"`
		quotes.Local
	}
	if err := client.Get(ctx, "/properties/"+key.property.String(), nil, &out, upstream.Tenant(key.tenant)); err != nil {
		return quotes.Local{}, fmt.Errorf("properties: get %s: %w", key.property, err)
	}
	if out.Tenant != key.tenant {
		return quotes.Local{}, booking.ErrNotFound
	}
	if err := out.Validate(); err != nil {
		return quotes.Local{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("properties: get %s: %w", key.property, err))
	}
	return out.Local, nil
}

// Rooms is a client of the property service for physical rooms. It caches nothing: a room may be taken out of order at any
// time.
type Rooms struct{ client *upstream.Client }

// OpenRooms opens the client.
func OpenRooms(e env.Env) Rooms {
	return Rooms{upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})}
}

// Of returns the rooms of a tenant's property.
func (s Rooms) Of(ctx context.Context, tenant id.Tenant, property id.Property) ([]booking.Room, error) {
	var out struct {
		Rooms []booking.Room `json:"rooms"`
	}
	if err := s.client.Get(ctx, "/properties/"+property.String()+"/rooms", nil, &out, upstream.Tenant(tenant)); err != nil {
		return nil, fmt.Errorf("rooms: of %s: %w", property, err)
	}
	return out.Rooms, nil
}
