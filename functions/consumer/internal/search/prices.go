package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/stay"
)

// A Trip is a stay with its occupancy and currency.
type Trip struct {
	Dates     DateRange
	Occupancy Occupancy
	Currency  money.Currency
}

// DefaultTrip returns the default trip: tomorrow night, for two adults.
func DefaultTrip(now time.Time, c money.Currency) Trip {
	tomorrow := stay.DateOf(now).AddDays(1)
	return Trip{Dates: DateRange{tomorrow, tomorrow.AddDays(1)}, Occupancy: Occupancy{Adults: 2, Rooms: 1}, Currency: c}
}

// Check rejects a stay that is invalid at that time.
func (t Trip) Check(now time.Time) error {
	return validationError(slices.Concat(t.Dates.Check("", now), t.Occupancy.Check(""))...)
}

// A Preview is the lowest price of a stay in one hotel.
type Preview struct {
	Property   id.Property    `json:"propertyId"`
	Nightly    money.Micro    `json:"cheapestNightlyMicro"`
	Total      money.Micro    `json:"totalMicro"`
	Currency   money.Currency `json:"currency"`
	FX         id.FX          `json:"fxSnapshotId,omitzero"` // zero if not converted
	CapturedAt time.Time      `json:"capturedAt"`
}

// A DayPrice is the lowest price of one night over all rooms.
type DayPrice struct {
	Date     stay.Date   `json:"date"`
	Cheapest money.Micro `json:"cheapestMicro"`
}

// A Calendar holds the lowest prices of single nights.
type Calendar struct {
	Days     []DayPrice     `json:"days"`
	Currency money.Currency `json:"currency"`
}

// An Offer is the price of a stay at one rate.
type Offer struct {
	RatePlan id.RatePlan `json:"ratePlanId"`
	Nightly  money.Micro `json:"nightlyMicro"`
	Total    money.Micro `json:"totalMicro"`
}

// Offers holds the prices of a stay in one hotel by room type, in one currency.
type Offers struct {
	Property  id.Property    `json:"propertyId"`
	Currency  money.Currency `json:"currency"`
	RoomTypes []RoomOffers   `json:"roomTypes"`
	FX        *Conversion    `json:"fxSnapshot,omitzero"` // nil if not converted
}

// A Conversion identifies the exchange rate of converted prices.
type Conversion struct {
	ID id.FX `json:"fxSnapshotId"`
}

// RoomOffers holds the prices of one room type, the cheapest first.
type RoomOffers struct {
	RoomType id.RoomType `json:"roomTypeId"`
	Rates    []Offer     `json:"rates"`
}

// Prices is the client of the pricing service. Its prices are for display only; the hotel's own site quotes bookings.
type Prices struct {
	client    *upstream.Client
	previews  *cache.Cache[[]Preview]
	calendars *cache.Cache[Calendar]
	offers    *cache.Cache[Offers]
	indexed   recentChanges
	timeout   time.Duration
}

// timeout is the time after which a page is shown without prices.
const timeout = 800 * time.Millisecond

// OpenPrices opens the client.
func OpenPrices(e env.Env) *Prices {
	return &Prices{
		client:    upstream.Open(e, "pricing", upstream.Policy{Timeout: timeout, Retries: 1}),
		previews:  cache.Open[[]Preview](e, "consumer-previews", pricePolicy),
		calendars: cache.Open[Calendar](e, "consumer-calendar", cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}),
		offers:    cache.Open[Offers](e, "consumer-offers", pricePolicy),
		indexed:   openIndexed(e),
		timeout:   e.Timeout(timeout),
	}
}

const priceLife = time.Minute

// pricePolicy is the cache policy of prices.
var pricePolicy = cache.Policy{Fresh: priceLife, Stale: 10 * time.Minute}

// ofListing returns the cache epoch of a hotel.
func ofListing(p id.Property) cache.Epoch { return cache.Of("listing", p.String()) }

// ofTenant is the epoch of a tenant: its status, rules and offers.
func ofTenant(t id.Tenant) cache.Epoch { return cache.Of(t.String()) }

// people returns the numbers of adults, children and rooms, which prices depend on.
func (o Occupancy) people() []string {
	return []string{strconv.Itoa(o.Adults), strconv.Itoa(o.Children), strconv.Itoa(o.Rooms)}
}

// Preview returns the lowest prices of the stay in hotels, fetched in one call. A hotel without a price is not in the map.
func (p *Prices) Preview(ctx context.Context, hotels []id.Property, t Trip) (map[id.Property]Preview, cache.State, error) {
	if len(hotels) == 0 {
		return nil, cache.Hit, nil
	}
	all := make([]string, len(hotels))
	for i, h := range hotels {
		all[i] = h.String()
	}
	slices.Sort(all)
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	stay := append(t.Occupancy.people(), t.Dates.CheckIn.String(), t.Dates.CheckOut.String(), string(t.Currency))
	previews, state, err := fetchOfHotels(ctx, p.indexed, p.previews, all, stay, func(ctx context.Context) ([]Preview, error) {
		return p.requestPreviews(ctx, all, t)
	})
	if err != nil {
		return nil, state, err
	}
	found := map[id.Property]Preview{}
	for _, one := range previews {
		found[one.Property] = one
	}
	return found, state, nil
}

func (p *Prices) requestPreviews(ctx context.Context, hotels []string, t Trip) ([]Preview, error) {
	in := struct {
		Properties []string       `json:"propertyIds"`
		Stay       stay.Window    `json:"stayWindow"`
		Occupancy  Party          `json:"occupancy"`
		Currency   money.Currency `json:"currency"`
	}{hotels, t.Dates.Window(), t.Occupancy.Party(), t.Currency}
	var out struct {
		Previews []Preview `json:"previews"`
	}
	if err := p.client.Post(ctx, "/previews", in, &out, upstream.Read()); err != nil {
		return nil, fmt.Errorf("prices: preview: %w", err)
	}
	if out.Previews == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("prices: preview: incomplete"))
	}
	return out.Previews, nil
}

// calendarDays is the number of nights in a calendar.
const calendarDays = 7

// Calendar returns the prices of a hotel's nights, starting with a day.
func (p *Prices) Calendar(ctx context.Context, hotel id.Property, from stay.Date, c money.Currency) (Calendar, cache.State, error) {
	return p.calendars.Fetch(ctx, document.KeyOf(hotel.String(), from.String(), string(c)), []cache.Epoch{ofListing(hotel)},
		func(ctx context.Context) (out Calendar, err error) {
			query := url.Values{"propertyId": {hotel.String()}, "from": {from.String()}, "days": {strconv.Itoa(calendarDays)}, "currency": {string(c)}}
			if err := p.client.Get(ctx, "/calendar", query, &out); err != nil {
				return Calendar{}, fmt.Errorf("prices: calendar of %s: %w", hotel, err)
			}
			if out.Days == nil || out.Currency == "" {
				return Calendar{}, fault.ErrUpstreamUnavailable.Because(errors.New("prices: calendar: incomplete"))
			}
			return out, nil
		})
}

// Offers returns the price of the stay at every rate of a hotel.
func (p *Prices) Offers(ctx context.Context, tenant id.Tenant, hotel id.Property, t Trip) (Offers, cache.State, error) {
	parts := append(t.Occupancy.people(), t.Dates.CheckIn.String(), t.Dates.CheckOut.String(), string(t.Currency))
	return p.offers.Fetch(ctx, document.KeyOf(hotel.String(), parts...), []cache.Epoch{ofTenant(tenant), ofListing(hotel)},
		func(ctx context.Context) (Offers, error) { return p.requestOffers(ctx, tenant, hotel, t) })
}

func (p *Prices) requestOffers(ctx context.Context, tenant id.Tenant, hotel id.Property, t Trip) (out Offers, err error) {
	people := t.Occupancy.people()
	query := url.Values{
		"tenantId": {tenant.String()}, "propertyId": {hotel.String()}, "start": {t.Dates.CheckIn.String()}, "end": {t.Dates.CheckOut.String()},
		"adults": {people[0]}, "children": {people[1]}, "rooms": {people[2]}, "currency": {string(t.Currency)},
	}
	if err := p.client.Get(ctx, "/cheapest", query, &out, upstream.Tenant(tenant)); err != nil {
		return Offers{}, fmt.Errorf("prices: offers of %s: %w", hotel, err)
	}
	if out.Property != hotel || out.RoomTypes == nil || out.Currency == "" {
		return Offers{}, fault.ErrUpstreamUnavailable.Because(errors.New("prices: offers: incomplete, or another hotel's"))
	}
	return out, nil
}
