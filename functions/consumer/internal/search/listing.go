package search

import (
	"cmp"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// A ListingCard represents a hotel in a list for one visitor. A price that was not available in time is null.
type ListingCard struct {
	Property   id.Property     `json:"propertyId"`
	Tenant     id.Tenant       `json:"tenantId"`
	Slug       string          `json:"tenantSlug"`
	Name       LocalizedString `json:"name"`
	City       string          `json:"city"`
	Country    string          `json:"country"`
	Geo        Position        `json:"geo"`
	Thumbnail  ThumbnailView   `json:"thumbnail"`
	Stars      int             `json:"starRating,omitzero"`
	Rating     *GuestRating    `json:"guestRating,omitzero"`
	Type       string          `json:"propertyType,omitzero"`
	Amenities  []string        `json:"amenityHighlights"`
	Brand      BrandPeek       `json:"brandPeek"`
	Rate       *RateSnapshot   `json:"rateSnapshot"`
	Badges     []Badge         `json:"badges"`
	DistanceKm *float64        `json:"distanceKm,omitzero"`
}

// A ThumbnailView is a picture in one language.
type ThumbnailView struct {
	URL string `json:"url"`
	Alt string `json:"alt"`
}

// A Badge is a property of a hotel that lists highlight.
type Badge string

// The badges that front ends know.
const (
	CrossRegionDelivery Badge = "crossRegionDelivery"
	ShariaCompliant     Badge = "shariaCompliant"
	NewProperty         Badge = "newProperty"
)

// known reports whether front ends know the badge.
func (b Badge) known() bool {
	return b == CrossRegionDelivery || b == ShariaCompliant || b == NewProperty
}

// A BrandPeek represents a hotel's brand for one visitor.
type BrandPeek struct {
	Color   string          `json:"primaryColor"`
	LogoURL string          `json:"logoUrl"`
	Name    LocalizedString `json:"brandName"`
}

// A DisplayPolicy is the reason for the currency of an amount.
type DisplayPolicy string

// The policies.
const (
	TenantCurrency   DisplayPolicy = "tenant"         // the visitor's currency is the hotel's own
	VisitorCurrency  DisplayPolicy = "user-preferred" // it was converted, at the rate of the snapshot
	FallbackCurrency DisplayPolicy = "fallback"       // it could not be converted and is in the hotel's currency
)

// A RateSnapshot is the price of the cheapest room at a point in time. It is for display only; a quote is binding.
type RateSnapshot struct {
	Nightly    int64          `json:"cheapestNightlyMinor"`
	Total      int64          `json:"totalForStayMinor"`
	Currency   money.Currency `json:"currency"`
	Exponent   int            `json:"exponent"`
	Policy     DisplayPolicy  `json:"currencyDisplayPolicy"`
	FX         id.FX          `json:"fxSnapshotId,omitzero"`
	CapturedAt time.Time      `json:"capturedAt"`
	ExpiresAt  time.Time      `json:"ttlExpiresAt"`
	Stale      bool           `json:"isStale"`
}

const maxAmenities = 5

func (l Listing) show(to locale.Tag) ListingCard {
	card := ListingCard{
		Property: l.Property, Tenant: l.Tenant, Slug: l.Slug, Name: localized(l.Name, to), City: l.City, Country: l.Country, Geo: l.Geo,
		Thumbnail: ThumbnailView{l.Thumbnail.URL, l.Thumbnail.Alt.In(to)}, Stars: l.Stars, Rating: l.Rating.orNil(), Type: l.Type,
		Amenities: l.Amenities[:min(maxAmenities, len(l.Amenities))], Badges: []Badge{},
	}
	if card.Amenities == nil {
		card.Amenities = []string{}
	}
	for _, badge := range l.Badges {
		if badge.known() {
			card.Badges = append(card.Badges, badge)
		}
	}
	return card
}

// orNil returns the rating, or nil if there are no ratings.
func (r *GuestRating) orNil() *GuestRating {
	if r == nil || r.Count == 0 {
		return nil
	}
	return r
}

// The colour and the logo of a hotel whose brand is unknown: grey, and a house.
const (
	neutralColor = "#5b6470"
	neutralLogo  = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%235b6470' d='M12 3 2 12h3v8h5v-5h4v5h5v-8h3z'/%3E%3C/svg%3E"
)

// show returns the brand of a hotel with that name. What the tenant has not set, and the whole brand if it is zero, is neutral.
func (b Brand) show(hotel locale.Text, to locale.Tag) BrandPeek {
	if b.Name.Default == "" {
		b.Name = hotel
	}
	return BrandPeek{Color: cmp.Or(b.Color, neutralColor), LogoURL: cmp.Or(b.LogoURL, neutralLogo), Name: localized(b.Name, to)}
}

// policy returns the display policy of an amount in currency got if the visitor wanted another or the same currency.
func policy(wanted, got money.Currency, fx id.FX) DisplayPolicy {
	switch {
	case wanted != got:
		return FallbackCurrency
	case fx.IsZero():
		return TenantCurrency
	}
	return VisitorCurrency
}

// show returns the price for a visitor with that currency, or nil if an amount has no exact value in minor units.
func (p Preview) show(wanted money.Currency, stale bool) *RateSnapshot {
	nightly, inexact := money.Amount{Micro: p.Nightly, Currency: p.Currency}.Minor()
	total, wrong := money.Amount{Micro: p.Total, Currency: p.Currency}.Minor()
	if inexact != nil || wrong != nil || nightly.Amount <= 0 || total.Amount <= 0 {
		return nil
	}
	return &RateSnapshot{
		Nightly:    nightly.Amount,
		Total:      total.Amount,
		Currency:   p.Currency,
		Exponent:   p.Currency.Exponent(),
		Policy:     policy(wanted, p.Currency, p.FX),
		FX:         p.FX,
		CapturedAt: p.CapturedAt,
		ExpiresAt:  p.CapturedAt.Add(priceLife),
		Stale:      stale,
	}
}
