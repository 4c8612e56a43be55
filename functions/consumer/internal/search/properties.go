package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Property represents one hotel with its room types, in all languages.
type Property struct {
	ID        id.Property  `json:"propertyId"`
	Tenant    id.Tenant    `json:"tenantId"`
	Name      locale.Text  `json:"name"`
	City      string       `json:"city"`
	Country   string       `json:"country"`
	Geo       Position     `json:"geo"`
	TimeZone  string       `json:"timeZone"`
	Stars     int          `json:"starRating"`
	Rating    *GuestRating `json:"guestRating"`
	Type      string       `json:"propertyType"`
	Amenities []string     `json:"amenities"`
	CheckIn   string       `json:"checkInFrom"`
	CheckOut  string       `json:"checkOutUntil"`
	Photos    []Photo      `json:"photos"`
	RoomTypes []RoomType   `json:"roomTypes"`
}

// A Photo is a picture with its alternative text.
type Photo struct {
	URL  string      `json:"url"`
	Alt  locale.Text `json:"alt"`
	Hero bool        `json:"isHero"`
}

// A RoomType is a kind of room.
type RoomType struct {
	ID           id.RoomType         `json:"roomTypeId"`
	Name         string              `json:"name"`
	Description  string              `json:"description"`
	Localized    map[string]RoomText `json:"localized"`
	MaxOccupancy int                 `json:"maxOccupancy"`
	Photos       []Photo             `json:"photos"`
}

// A RoomText holds the name and description of a room type in one language.
type RoomText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A PropertyRule is one rule of a hotel for its guests.
type PropertyRule struct {
	Property id.Property `json:"propertyId"`
	Kind     string      `json:"kind"`
	Title    locale.Text `json:"title"`
	Text     locale.Text `json:"text"`
}

// Properties is the client of the property service, with a cache: at most one request per hotel in five minutes.
type Properties struct {
	client     *upstream.Client
	now        func() time.Time
	properties *cache.Cache[Property]
	rules      *cache.Cache[[]PropertyRule]
	absent     *cache.Cache[bool]
}

const absentLife = 30 * time.Second // negative cache: a new hotel may be hidden for this time after a failed lookup

// OpenProperties opens the client.
func OpenProperties(e env.Env) *Properties {
	return &Properties{
		now:        e.Now,
		client:     upstream.Open(e, "property", upstream.Policy{Timeout: time.Second, Retries: 1}),
		properties: cache.Open[Property](e, "consumer-detail", rarelyChanged),
		rules:      cache.Open[[]PropertyRule](e, "consumer-policies", rarelyChanged),
		absent:     cache.Open[bool](e, "consumer-absent", cache.Policy{Fresh: absentLife}),
	}
}

// Absent reports whether a recent lookup did not find the hotel.
func (p *Properties) Absent(ctx context.Context, property id.Property) bool {
	absent, _ := p.absent.Remembered(ctx, document.KeyOf(property.String()))
	return absent
}

// Get returns a hotel, or fault.ErrNotFound.
func (p *Properties) Get(ctx context.Context, property id.Property) (Property, cache.State, error) {
	if p.Absent(ctx, property) {
		return Property{}, cache.Hit, fault.ErrNotFound
	}
	return p.properties.Fetch(ctx, document.KeyOf(property.String()), []cache.Epoch{ofListing(property)},
		func(ctx context.Context) (Property, error) { return p.request(ctx, property) })
}

func (p *Properties) request(ctx context.Context, property id.Property) (h Property, err error) {
	if p.Absent(ctx, property) { // another request may have looked it up while this one waited
		return Property{}, fault.ErrNotFound
	}
	err = p.client.Get(ctx, "/properties/"+property.String(), nil, &h)
	if errors.Is(err, fault.ErrNotFound) {
		p.absent.Remember(ctx, document.KeyOf(property.String()), true, p.now())
	}
	if err != nil {
		return Property{}, fmt.Errorf("properties: get %s: %w", property, err)
	}
	if h.ID != property || h.Tenant.IsZero() || h.Name.Default == "" {
		return Property{}, fault.ErrUpstreamUnavailable.Because(errors.New("properties: get: incomplete, or another hotel"))
	}
	return h, nil
}

// Rules returns the rules of a hotel.
func (p *Properties) Rules(ctx context.Context, h Property) (rules []PropertyRule, state cache.State, err error) {
	all, state, err := p.rules.Fetch(ctx, document.KeyOf(h.Tenant.String(), h.ID.String()), []cache.Epoch{ofTenant(h.Tenant), ofListing(h.ID)},
		func(ctx context.Context) ([]PropertyRule, error) { return p.requestRules(ctx, h) })
	for _, r := range all {
		if r.Property == h.ID {
			rules = append(rules, r)
		}
	}
	return rules, state, err
}

func (p *Properties) requestRules(ctx context.Context, h Property) ([]PropertyRule, error) {
	var out struct {
		Policies []PropertyRule `json:"policies"`
	}
	query := url.Values{"tenantId": {h.Tenant.String()}, "propertyId": {h.ID.String()}}
	if err := p.client.Get(ctx, "/policies", query, &out, upstream.Tenant(h.Tenant)); err != nil {
		return nil, fmt.Errorf("properties: rules of %s: %w", h.ID, err)
	}
	if out.Policies == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("properties: rules: incomplete"))
	}
	return out.Policies, nil
}
