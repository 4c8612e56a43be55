package reservation

import (
	"context"
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // deadlines depend on it: a base image may have none

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/upstream"
)

// A Local is the local time of a property. Quote and reservation keep it, so a deadline that was shown stays as it was.
type Local struct {
	TimeZone      string `json:"timeZone"`      // IANA
	CheckInFrom   string `json:"checkInFrom"`   // "14:00"
	CheckOutUntil string `json:"checkOutUntil"` // "12:00"
}

// midnight is when a date begins at the property. A zone that this program does not know is UTC: NewQuote accepts none.
func (l Local) midnight(d stay.Date) time.Time {
	zone, err := time.LoadLocation(l.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	year, month, day := d.Time().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// validate returns an error for a property without a usable time zone or hours.
func (l Local) validate() error {
	if l.TimeZone == "" {
		return errors.New("no time zone")
	}
	_, err := time.LoadLocation(l.TimeZone)
	return err
}

// Properties is the property service.
type Properties struct{ known *recent[houseKey, Local] }

type houseKey struct {
	tenant   id.Tenant
	property id.Property
}

// OpenProperties opens the client. All functions of a process share what it knows.
func OpenProperties(e env.Env) Properties {
	known, _ := env.Once(e, "reservation.properties", func() (*recent[houseKey, Local], error) { // nothing here can fail
		client := upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})
		return remember(e.Now, 10*time.Minute, func(ctx context.Context, key houseKey) (Local, error) { return askLocal(ctx, client, key) }), nil
	})
	return Properties{known}
}

// Local returns the local time of a tenant's property, or ErrNotFound.
func (p Properties) Local(ctx context.Context, tenant id.Tenant, property id.Property) (Local, error) {
	return p.known.get(ctx, houseKey{tenant, property})
}

func askLocal(ctx context.Context, client *upstream.Client, key houseKey) (Local, error) {
	var out struct {
		Tenant id.Tenant `json:"tenantId"`
		Local
	}
	if err := client.Get(ctx, "/properties/"+key.property.String(), nil, &out, upstream.Tenant(key.tenant)); err != nil {
		return Local{}, fmt.Errorf("properties: get %s: %w", key.property, err)
	}
	if out.Tenant != key.tenant {
		return Local{}, ErrNotFound
	}
	if err := out.validate(); err != nil {
		return Local{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("properties: get %s: %w", key.property, err))
	}
	return out.Local, nil
}
