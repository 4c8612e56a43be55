package hotel

import (
	"context"
	"time"
	_ "time/tzdata" // the date at a property needs it; a base image may lack it

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// CachedProperties reads properties through the cache that availability fills.
type CachedProperties struct {
	client  Properties
	cache   *cache.Cache[Property]
	timeout time.Duration
}

// arrivalTimeout is the timeout of reading a property only for its date. The caller has other calls to make.
const arrivalTimeout = 400 * time.Millisecond

// OpenCachedProperties returns CachedProperties with its client and cache.
func OpenCachedProperties(e env.Env) CachedProperties {
	return CachedProperties{client: OpenProperties(e), cache: cache.Open[Property](e, "property", contentPolicy), timeout: e.Timeout(arrivalTimeout)}
}

// Get returns a property of the tenant and its cache state.
func (p CachedProperties) Get(ctx context.Context, t id.Tenant, property id.Property) (Property, cache.State, error) {
	return p.cache.Fetch(ctx, document.KeyOf(t.String(), property.String()), []cache.Epoch{OfProperty(t, property)},
		func(ctx context.Context) (Property, error) { return p.client.Get(ctx, t, property) })
}

// The largest offsets of time zones from UTC. A date between them is today somewhere.
const (
	westernmost = -12 * time.Hour
	easternmost = 14 * time.Hour
)

// CheckArrival returns a violation at pointer if the day of arrival is before today at the property. It reads the property only if the
// day is in the past in one time zone and not in another. If the property cannot be read then, it accepts the day: the pricing service
// rejects it unless the night has just begun.
func (p CachedProperties) CheckArrival(ctx context.Context, t id.Tenant, property id.Property, arrival stay.Date, pointer string, now time.Time) error {
	if !arrival.Before(stay.DateOf(now.UTC().Add(easternmost))) {
		return nil
	}
	if err := CheckAnywhere(arrival, pointer, now); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	found, _, err := p.Get(ctx, t, property)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return found.CheckArrival(arrival, pointer, now)
}

// CheckAnywhere returns a violation at pointer if the day of arrival is before today in all time zones.
func CheckAnywhere(arrival stay.Date, pointer string, now time.Time) error {
	return checkArrival(arrival, stay.DateOf(now.UTC().Add(westernmost)), pointer)
}

// CheckArrival returns a violation at pointer if the day of arrival is before today at the property. The calendar date decides for guests,
// also in the hours after midnight in which the night before still counts at the front desk. An unknown time zone counts as UTC.
func (p Property) CheckArrival(arrival stay.Date, pointer string, now time.Time) error {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return checkArrival(arrival, stay.DateOf(now.In(zone)), pointer)
}

func checkArrival(arrival, today stay.Date, pointer string) error {
	if arrival.Before(today) {
		return fault.ErrValidation.With(fault.Violation{Pointer: pointer, Rule: "range", Message: "the stay begins in the past"})
	}
	return nil
}
