package search

import (
	"context"
	"hash/fnv"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// Base is the path prefix of every route of this service.
const Base = "/bff/consumer/v1"

// Hotels composes the answers about a single hotel.
type Hotels struct {
	properties *Properties
	tenants    *Tenants
	searches   *Searches
	popularity *Popularity
	labels     amenityLabels
	now        func() time.Time
}

// OpenHotels opens the clients and caches, and reads the names of amenities.
func OpenHotels(e env.Env) (*Hotels, error) {
	labels, err := readAmenityLabels()
	return &Hotels{
		properties: OpenProperties(e),
		tenants:    OpenTenants(e),
		searches:   OpenSearches(e),
		popularity: OpenPopularity(e),
		labels:     labels,
		now:        e.Now,
	}, err
}

// A HotelDetail is the detail page of one hotel. Parts that were not available in time are null or absent, and listed in
// Missing.
type HotelDetail struct {
	Property   PropertySummary    `json:"property"`
	Rooms      []RoomTypeSummary  `json:"rooms"`
	Amenities  []Amenity          `json:"amenities"`
	Photos     []PhotoView        `json:"photos"`
	Policies   PolicyTexts        `json:"policies"`
	Brand      BrandPeek          `json:"brandPeek"`
	Rate       *RateSnapshot      `json:"cheapestRateSnapshot"`
	Calendar   []CalendarDay      `json:"priceCalendarPreview,omitzero"`
	Similar    []ListingCard      `json:"similarProperties,omitzero"`
	Popularity *PopularitySignals `json:"popularitySignals,omitzero"`
	Handoff    HandoffHint        `json:"handoffHint"`
	Site       *BookingSite       `json:"bookingSite,omitzero"` // nil if the tenant service did not answer
	Dates      DateRange          `json:"dates"`                // of the prices
	Occupancy  Occupancy          `json:"occupancy"`            // of the prices
	Locale     locale.Tag         `json:"locale"`
	Currency   money.Currency     `json:"currency"`
	Stale      bool               `json:"stale"`
	Missing    []string           `json:"degraded,omitempty"`
}

// Version returns a hash of the answer.
func (d HotelDetail) Version() int64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(canonicalJSON(d)))
	return int64(sum.Sum64())
}

// A PropertySummary describes a hotel.
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

// A RoomTypeSummary describes a room type in one language.
type RoomTypeSummary struct {
	RoomType     id.RoomType `json:"roomTypeId"`
	Name         string      `json:"name"`
	Description  string      `json:"description"`
	MaxOccupancy int         `json:"maxOccupancy"`
	Photos       []PhotoView `json:"photos"`
}

// A PhotoView is a picture in one language.
type PhotoView struct {
	URL  string `json:"url"`
	Alt  string `json:"alt"`
	Hero bool   `json:"isHero"`
}

// PolicyTexts holds the most requested rules of a hotel in one language. A rule that the hotel does not have is empty.
type PolicyTexts struct {
	Cancellation string `json:"cancellation"`
	CheckIn      string `json:"checkIn"`
	CheckOut     string `json:"checkOut"`
}

// A CalendarDay is the lowest price of one night.
type CalendarDay struct {
	Date     stay.Date      `json:"date"`
	Cheapest int64          `json:"cheapestMinor"`
	Currency money.Currency `json:"currency"`
	Exponent int            `json:"exponent"`
}

// A HandoffHint holds the URL that creates a handoff to the hotel's own site, and the lifetime of a handoff. It is not a
// token: it grants no access and may be cached.
type HandoffHint struct {
	URL string `json:"url"`
	TTL int    `json:"ttlSeconds"`
}

// A BookingSite lists the languages and currencies that the hotel's own site offers.
type BookingSite struct {
	Locales    []locale.Tag     `json:"locales"`
	Currencies []money.Currency `json:"currencies"`
}

// site returns what the tenant's own site offers, or nil if that is unknown.
func (t Tenant) site() *BookingSite {
	if len(t.Locales) == 0 || len(t.Currencies) == 0 {
		return nil
	}
	return &BookingSite{Locales: t.Locales, Currencies: t.Currencies}
}

// maxSimilar is the maximum number of similar hotels on a detail page.
const maxSimilar = 4

// Detail composes the detail page of a hotel. It fails only if the hotel itself is not available. A suspended hotel is
// fault.ErrNotFound.
func (h *Hotels) Detail(ctx context.Context, l locale.Tag, property id.Property, t Trip) (HotelDetail, Composition, error) {
	ctx, cancel := compositionContext(ctx)
	defer cancel()
	all, err := h.fetchDetail(h.searches.prefetch(ctx), l, property, t)
	if err != nil {
		return HotelDetail{}, Composition{}, err
	}
	d, c := all.hotel.value.detail(l), all.composition()
	d.Policies = all.hotel.value.policies(all.rules.value, l)
	d.Amenities = h.labels.show(all.hotel.value.Amenities, l)
	d.Brand = all.brands.value[d.Property.Tenant].show(all.hotel.value.Name, l)
	if price, ok := all.preview.value[property]; ok {
		d.Rate = price.show(t.Currency, all.preview.state == cache.Stale)
	}
	if all.days.err == nil {
		d.Calendar = all.days.value.show()
	}
	d.Site = all.tenant.site()
	d.Similar, d.Popularity = all.similar.cards, all.popularity.value.show()
	d.Dates, d.Occupancy, d.Currency, d.Stale, d.Missing = t.Dates, t.Occupancy, t.Currency, c.Stale, c.Missing
	return d, c, nil
}

// detailParts holds the parts of a detail page.
type detailParts struct {
	hotel      part[Property]
	tenant     Tenant // zero if the tenant service did not answer
	rules      part[[]PropertyRule]
	brands     part[map[id.Tenant]Brand]
	preview    part[map[id.Property]Preview]
	days       part[Calendar]
	similar    similarHotels
	popularity part[PopularitySignals]
}

// similarHotels holds the cards of similar hotels.
type similarHotels struct {
	Composition
	cards []ListingCard
}

// fetchDetail fetches all parts that do not depend on the property's data concurrently, and then the rest.
func (h *Hotels) fetchDetail(ctx context.Context, l locale.Tag, property id.Property, t Trip) (g detailParts, err error) {
	if h.properties.Absent(ctx, property) {
		return g, fault.ErrNotFound // without requesting prices
	}
	ctx, cancel := context.WithCancel(ctx)
	var work conc.WaitGroup
	defer work.Wait()
	defer cancel() // if the hotel is not found, do not wait for its prices
	work.Go(func() { g.preview.set(h.searches.prices.Preview(ctx, []id.Property{property}, t)) })
	work.Go(func() { g.days.set(h.searches.prices.Calendar(ctx, property, t.Dates.CheckIn, t.Currency)) })
	work.Go(func() { g.popularity.set(h.popularity.Get(ctx, property)) })
	g.hotel.set(h.properties.Get(ctx, property))
	if g.hotel.err != nil {
		return g, asBudgetExceeded(g.hotel.err)
	}
	hotel, closed := g.hotel.value, false
	work.Go(func() { g.tenant, closed = h.tenants.Status(ctx, hotel.Tenant) })
	work.Go(func() { g.rules.set(h.properties.Rules(ctx, hotel)) })
	work.Go(func() { g.brands.set(h.searches.brands.Get(ctx, []id.Tenant{hotel.Tenant})) })
	work.Go(func() { g.similar = h.similar(ctx, l, hotel, t) })
	work.Wait()
	if closed {
		return g, fault.ErrNotFound
	}
	return g, hotel.CheckDates(t.Dates, "", h.now())
}

func (g detailParts) composition() (c Composition) {
	g.hotel.addTo(&c, "property")
	g.rules.addTo(&c, "policies")
	g.brands.addTo(&c, "theme")
	g.preview.addTo(&c, "pricing")
	g.days.addTo(&c, "calendar")
	c.addAll(g.similar.Composition)
	g.popularity.addTo(&c, "popularity")
	return c
}

// similar returns the cards of similar hotels for the same stay. Missing names what they lack.
func (h *Hotels) similar(ctx context.Context, l locale.Tag, hotel Property, t Trip) (out similarHotels) {
	found, state, err := h.searches.selections.Similar(ctx, hotel, t, maxSimilar)
	out.add("search", state, err)
	if err == nil {
		out.cards = h.searches.decorate(ctx, l, t, found, &out.Composition)
	}
	return out
}

// handoffHint returns the handoff hint of the hotel.
func (h Property) handoffHint() HandoffHint {
	return HandoffHint{strings.Join([]string{Base, "handoff", h.Tenant.String(), h.ID.String()}, "/"), int(handoff.Lifetime / time.Second)}
}
