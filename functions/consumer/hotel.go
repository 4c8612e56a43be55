package consumer

import (
	"context"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// Hotels shows one hotel at a time.
type Hotels struct {
	properties *Properties
	tenants    *Tenants
	searches   *Searches
	now        func() time.Time
}

// OpenHotels opens what a hotel is shown from.
func OpenHotels(e env.Env) *Hotels {
	return &Hotels{properties: OpenProperties(e), tenants: OpenTenants(e), searches: OpenSearches(e), now: e.Now}
}

// A HotelDetail is all that is shown of one hotel. What could not be had in time is null or absent, and named in
// Missing.
type HotelDetail struct {
	Property  PropertySummary   `json:"property"`
	Rooms     []RoomTypeSummary `json:"rooms"`
	Amenities []Amenity         `json:"amenities"`
	Photos    []PhotoView       `json:"photos"`
	Policies  PolicyTexts       `json:"policies"`
	Brand     *BrandPeek        `json:"brandPeek"`
	Rate      *RateSnapshot     `json:"cheapestRateSnapshot"`
	Calendar  []CalendarDay     `json:"priceCalendarPreview,omitzero"`
	Similar   []ListingCard     `json:"similarProperties,omitzero"`
	Handoff   HandoffHint       `json:"handoffHint"`
	Dates     DateRange         `json:"dates"`     // that the prices are for
	Occupancy Occupancy         `json:"occupancy"` // too
	Locale    locale.Tag        `json:"locale"`
	Currency  money.Currency    `json:"currency"`
	Stale     bool              `json:"stale"`
	Missing   []string          `json:"degraded,omitempty"`
}

// Version tells this answer from others.
func (d HotelDetail) Version() int64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(spelled(d)))
	return int64(sum.Sum64())
}

// A PropertySummary is what a hotel is.
type PropertySummary struct {
	Property id.Property     `json:"propertyId"`
	Tenant   id.Tenant       `json:"tenantId"`
	Name     LocalizedString `json:"name"`
	City     string          `json:"city"`
	Country  string          `json:"country"`
	Geo      Position        `json:"geo"`
	TimeZone string          `json:"timeZone,omitzero"`
	Stars    int             `json:"starRating,omitzero"`
	Rating   *GuestRating    `json:"guestRating,omitzero"`
	Type     string          `json:"propertyType,omitzero"`
}

// A RoomTypeSummary is a kind of room in one language.
type RoomTypeSummary struct {
	RoomType     id.RoomType `json:"roomTypeId"`
	Name         string      `json:"name"`
	Description  string      `json:"description"`
	MaxOccupancy int         `json:"maxOccupancy"`
	Photos       []PhotoView `json:"photos"`
}

// An Amenity is something that a hotel has. Its code is the word that searches filter by.
type Amenity struct {
	Code string `json:"code"`
}

// A PhotoView is a picture in one language.
type PhotoView struct {
	URL  string `json:"url"`
	Alt  string `json:"alt"`
	Hero bool   `json:"isHero"`
}

// PolicyTexts are the rules that a guest asks for first, in one language. One that the hotel does not have is empty.
type PolicyTexts struct {
	Cancellation string `json:"cancellation"`
	CheckIn      string `json:"checkIn"`
	CheckOut     string `json:"checkOut"`
}

// A CalendarDay is the cheapest that one night costs.
type CalendarDay struct {
	Date     stay.Date      `json:"date"`
	Cheapest int64          `json:"cheapestMinor"`
	Currency money.Currency `json:"currency"`
	Exponent int            `json:"exponent"`
}

// A HandoffHint is where a handoff to the hotel's own site is asked for, and for how long one is good. It is no token: it
// opens nothing, and may be cached.
type HandoffHint struct {
	URL string `json:"url"`
	TTL int    `json:"ttlSeconds"`
}

// maxSimilar is how many hotels are shown beside one.
const maxSimilar = 4

// Show puts together what a visitor is shown of a hotel. It fails only where it does not know the hotel; one that is
// suspended is not found.
func (h *Hotels) Show(ctx context.Context, v Visitor, property id.Property, t Trip) (HotelDetail, Composition, error) {
	ctx, cancel := ahead(ctx)
	defer cancel()
	all, err := h.gather(h.searches.prefetch(ctx), v, property, t)
	if err != nil {
		return HotelDetail{}, Composition{}, err
	}
	d, c := all.house.value.show(v.Locale), all.composed()
	d.Policies = all.house.value.policies(all.rules.value, v.Locale)
	if look, ok := all.looks.value[d.Property.Tenant]; ok {
		d.Brand = look.show(v.Locale)
	}
	if price, ok := all.preview.value[property]; ok {
		d.Rate = price.show(t.Currency, all.preview.state == cache.Stale)
	}
	if all.days.err == nil {
		d.Calendar = all.days.value.show()
	}
	d.Similar = all.similar.value
	d.Dates, d.Occupancy, d.Currency, d.Stale, d.Missing = t.Dates, t.Occupancy, t.Currency, c.Stale, c.Missing
	return d, c, nil
}

// gathered is all that a hotel is shown from.
type gathered struct {
	house   part[House]
	rules   part[[]HouseRule]
	looks   part[map[id.Tenant]Brand]
	preview part[map[id.Property]Preview]
	days    part[Calendar]
	similar part[[]ListingCard]
}

// gather asks for everything at once that does not depend on what the house is, and then for the rest.
func (h *Hotels) gather(ctx context.Context, v Visitor, property id.Property, t Trip) (g gathered, err error) {
	if h.properties.Absent(property) {
		return g, ErrNotFound // its prices are not asked for either
	}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel() // where the hotel is not known, nobody waits for its prices
	work.Go(func() { g.preview.of(h.searches.prices.Preview(ctx, []id.Property{property}, t)) })
	work.Go(func() { g.days.of(h.searches.prices.Calendar(ctx, property, t.Dates.CheckIn, t.Currency)) })
	g.house.of(h.properties.Get(ctx, property))
	if g.house.err != nil {
		return g, overdue(g.house.err)
	}
	house, closed := g.house.value, false
	work.Go(func() { _, closed = h.tenants.Status(ctx, house.Tenant) })
	work.Go(func() { g.rules.of(h.properties.Rules(ctx, house)) })
	work.Go(func() { g.looks.of(h.searches.brands.Peek(ctx, []id.Tenant{house.Tenant})) })
	work.Go(func() { g.similar.of(h.similar(ctx, v, house, t)) })
	work.Wait()
	if closed {
		return g, ErrNotFound
	}
	return g, house.Receives(t.Dates, "", h.now())
}

func (g gathered) composed() (c Composition) {
	g.house.into(&c, "property")
	g.rules.into(&c, "policies")
	g.looks.into(&c, "theme")
	g.preview.into(&c, "pricing")
	g.days.into(&c, "calendar")
	g.similar.into(&c, "search")
	return c
}

// similar are other hotels of the city, for the same stay.
func (h *Hotels) similar(ctx context.Context, v Visitor, house House, t Trip) ([]ListingCard, cache.State, error) {
	if house.City == "" {
		return []ListingCard{}, cache.Hit, nil
	}
	q := Query{Geo: GeoQuery{Mode: City, City: house.City}, Dates: t.Dates, Occupancy: t.Occupancy}
	found, state, err := h.searches.listings.Find(ctx, q.Normal(), t.Currency, Page{Limit: maxSimilar + 1})
	if err != nil {
		return nil, state, err
	}
	var others []Listing
	for _, l := range found.Listings {
		if l.Property != house.ID && l.Country == house.Country && len(others) < maxSimilar {
			others = append(others, l)
		}
	}
	var c Composition
	c.with("search", state, nil)
	cards := h.searches.decorate(ctx, v, t, others, &c)
	return cards, c.State, nil
}

// hint is where a handoff to the hotel is asked for.
func (h House) hint() HandoffHint {
	return HandoffHint{strings.Join([]string{Base, "handoff", h.Tenant.String(), h.ID.String()}, "/"), int(handoff.Lifetime / time.Second)}
}
