package booking

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // deadlines need it; a base image may lack it

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/stay"
)

// A Local holds the local time of a property. Quote and reservation keep a copy, so deadlines already shown do not
// change.
type Local struct {
	TimeZone      string `json:"timeZone"`      // IANA
	CheckInFrom   string `json:"checkInFrom"`   // "14:00"
	CheckOutUntil string `json:"checkOutUntil"` // "12:00"
}

// zone returns the time zone. NewQuote rejects unknown time zones; here an unknown zone counts as UTC.
func (l Local) zone() *time.Location {
	zone, err := time.LoadLocation(l.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// midnight returns the start of a date at the property.
func (l Local) midnight(d stay.Date) time.Time { return l.hour(d, "00:00") }

// hour returns the time of day, like 14:00, on a date at the property. An invalid time of day counts as midnight.
func (l Local) hour(d stay.Date, clock string) time.Time {
	of, err := time.Parse("15:04", clock)
	if err != nil {
		of = time.Time{}
	}
	year, month, day := d.Time().Date()
	return time.Date(year, month, day, of.Hour(), of.Minute(), 0, 0, l.zone())
}

// validate returns an error for a property without an IANA time zone that this program knows.
func (l Local) validate() error {
	if l.TimeZone == "" || l.TimeZone == "Local" { // LoadLocation maps them to UTC and to the zone of this process
		return fmt.Errorf("the time zone %q", l.TimeZone)
	}
	_, err := time.LoadLocation(l.TimeZone)
	return err
}

// Properties is a client of the property service with a cache.
type Properties struct {
	known *staleCache[propertyKey, Local]
}

type propertyKey struct {
	tenant   id.Tenant
	property id.Property
}

// OpenProperties opens the client. All functions of a process share its cache.
func OpenProperties(e env.Env) Properties {
	known, _ := env.Once(e, "reservation.properties", func() (*staleCache[propertyKey, Local], error) { // cannot fail
		client := upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})
		ask := func(ctx context.Context, key propertyKey) (Local, error) { return askLocal(ctx, client, key) }
		return newStaleCache(e.Now, 10*time.Minute, ask), nil
	})
	return Properties{known}
}

// Local returns the local time of a tenant's property, or ErrNotFound.
func (p Properties) Local(ctx context.Context, tenant id.Tenant, property id.Property) (Local, error) {
	return p.known.get(ctx, propertyKey{tenant, property})
}

func askLocal(ctx context.Context, client *upstream.Client, key propertyKey) (Local, error) {
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
