package marketplace

import (
	"html/template"
	"slices"

	"melmastoon.ghasi.io/functions/demo/internal/picture"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// The members of the consumer service's responses that the site shows.
type (
	// A Session is what the consumer service knows of a visit.
	Session struct {
		Locale   locale.Tag     `json:"localePreference"`
		Currency money.Currency `json:"currencyPreference"`
		Viewed   []Remembered   `json:"recentlyViewed"`
		Wishes   []Remembered   `json:"wishlist"`
		Degraded []string       `json:"degraded"`
		Consents Consents       `json:"flags"`
	}
	// Consents are the guest's consents to telemetry and to marketing.
	Consents struct {
		Telemetry bool `json:"consentTelemetry"`
		Marketing bool `json:"consentMarketing"`
	}
	// Preferences are changes of the visit.
	Preferences struct {
		Locale   locale.Tag     `json:"locale,omitzero"`
		Currency money.Currency `json:"currency,omitzero"`
		*Consents
	}
	// A Remembered is a hotel that the guest has saved or viewed.
	Remembered struct {
		Property id.Property `json:"propertyId"`
		Card     *Card       `json:"card"`
	}
	// A Text is a text with its translations.
	Text struct {
		Default   string            `json:"default"`
		Localized map[string]string `json:"localized"`
		Display   string            `json:"display"`
	}
	// A Position is a place on the earth.
	Position struct {
		Lat float64 `json:"lat"`
		Lng float64 `json:"lng"`
	}
	// A Destination is a city with hotels.
	Destination struct {
		City   string   `json:"city"`
		Name   Text     `json:"name"`
		Geo    Position `json:"geo"`
		Hotels int      `json:"hotels"`
	}
	// A Photo is a picture.
	Photo struct {
		URL string `json:"url"`
		Alt string `json:"alt"`
	}
	// A Rating is the average of the guests' ratings.
	Rating struct {
		Value float64 `json:"value"`
		Count int     `json:"count"`
	}
	// A Snapshot is the lowest price of a hotel at some time.
	Snapshot struct {
		Nightly  int64          `json:"cheapestNightlyMinor"`
		Total    int64          `json:"totalForStayMinor"`
		Currency money.Currency `json:"currency"`
		Exponent int            `json:"exponent"`
		Stale    bool           `json:"isStale"`
	}
	// A Card is the summary of a hotel.
	Card struct {
		Property   id.Property `json:"propertyId"`
		Tenant     id.Tenant   `json:"tenantId"`
		Name       Text        `json:"name"`
		City       string      `json:"city"`
		Geo        Position    `json:"geo"`
		Stars      int         `json:"starRating"`
		Rating     *Rating     `json:"guestRating"`
		Type       string      `json:"propertyType"`
		Highlights []string    `json:"amenityHighlights"`
		Price      *Snapshot   `json:"rateSnapshot"`
		Badges     []string    `json:"badges"`
	}
	// Results are a page of hotels.
	Results struct {
		Cards    []Card         `json:"results"`
		Page     ResultPage     `json:"page"`
		Locale   locale.Tag     `json:"locale"`
		Currency money.Currency `json:"currency"`
		Stale    bool           `json:"stale"`
		Degraded []string       `json:"degraded"`
	}
	// A ResultPage is the position of a page in all results.
	ResultPage struct {
		Offset int `json:"offset"`
		Total  int `json:"total"`
	}
	// A Pin is a hotel on the map, or Count hotels that are close to each other.
	Pin struct {
		Property id.Property    `json:"propertyId"`
		Geo      Position       `json:"geo"`
		Nightly  int64          `json:"cheapestNightlyMinor"`
		Currency money.Currency `json:"currency"`
		Exponent int            `json:"exponent"`
		Count    int            `json:"count"`
	}
	// Pins are all hotels of a search on a map.
	Pins struct {
		Pins      []Pin    `json:"pins"`
		Total     int      `json:"total"`
		Truncated bool     `json:"truncated"`
		Degraded  []string `json:"degraded"`
	}
	// A Hotel is the detail of a hotel.
	Hotel struct {
		Property   HotelProperty  `json:"property"`
		Rooms      []Room         `json:"rooms"`
		Amenities  []Amenity      `json:"amenities"`
		Photos     []Photo        `json:"photos"`
		Policies   Policies       `json:"policies"`
		Price      *Snapshot      `json:"cheapestRateSnapshot"`
		Calendar   []Night        `json:"priceCalendarPreview"`
		Similar    []Card         `json:"similarProperties"`
		Popularity *Popularity    `json:"popularitySignals"`
		Site       *BookingSite   `json:"bookingSite"` // nil if it is unknown
		Locale     locale.Tag     `json:"locale"`
		Currency   money.Currency `json:"currency"`
		Stale      bool           `json:"stale"`
		Degraded   []string       `json:"degraded"`
	}
	// A BookingSite lists what the hotel's own site offers.
	BookingSite struct {
		Locales    []locale.Tag     `json:"locales"`
		Currencies []money.Currency `json:"currencies"`
	}
	// A HotelProperty is a hotel without its rooms and prices.
	HotelProperty struct {
		ID     id.Property `json:"propertyId"`
		Tenant id.Tenant   `json:"tenantId"`
		Name   Text        `json:"name"`
		City   string      `json:"city"`
		Geo    Position    `json:"geo"`
		Stars  int         `json:"starRating"`
		Rating *Rating     `json:"guestRating"`
		Type   string      `json:"propertyType"`
	}
	// An Amenity is a comfort of a hotel, in the guest's language.
	Amenity struct {
		Label string `json:"label"`
	}
	// Policies are the hotel's rules.
	Policies struct {
		Cancellation string `json:"cancellation"`
		CheckIn      string `json:"checkIn"`
		CheckOut     string `json:"checkOut"`
	}
	// A Night is the lowest price of a night.
	Night struct {
		Date     stay.Date      `json:"date"`
		Price    int64          `json:"cheapestMinor"`
		Currency money.Currency `json:"currency"`
		Exponent int            `json:"exponent"`
	}
	// Popularity says how many guests have lately booked and viewed a hotel.
	Popularity struct {
		Booked int `json:"bookedLast24h"`
		Viewed int `json:"viewedLast1h"`
	}
	// A Room is a room type, with its price if it is known.
	Room struct {
		ID           id.RoomType  `json:"roomTypeId"`
		Name         string       `json:"name"`
		Description  string       `json:"description"`
		MaxOccupancy int          `json:"maxOccupancy"`
		Photos       []Photo      `json:"photos"`
		Nightly      *money.Minor `json:"nightly"`
		Total        *money.Minor `json:"total"`
	}
	// A Vacancy says whether a hotel has rooms for a stay.
	Vacancy struct {
		Available *bool    `json:"available"` // nil if it is unknown
		Rooms     []Room   `json:"rooms"`
		Degraded  []string `json:"degraded"`
	}
)

// Picture returns the town's picture.
func (d Destination) Picture() template.URL { return template.URL(picture.City(d.City)) } //nolint:gosec // a data URL

// Picture returns the hotel's picture, the same as the first one on its page.
func (c Card) Picture() template.URL {
	return template.URL(picture.House{ID: c.Property, City: c.City, Type: c.Type, Stars: c.Stars}.Draw(0)) //nolint:gosec // a data URL
}

// Whole returns the price of the stay.
func (s *Snapshot) Whole() money.Minor {
	return money.Minor{Amount: s.Total, Currency: s.Currency, Exponent: s.Exponent}
}

// Night returns the price of a night.
func (s *Snapshot) Night() money.Minor {
	return money.Minor{Amount: s.Nightly, Currency: s.Currency, Exponent: s.Exponent}
}

// Minor returns the price of the night.
func (n Night) Minor() money.Minor {
	return money.Minor{Amount: n.Price, Currency: n.Currency, Exponent: n.Exponent}
}

// SoldOut reports whether the hotel has no room for the stay. It is false if that is unknown.
func (v *Vacancy) SoldOut() bool { return v != nil && v.Available != nil && !*v.Available }

// Saved reports whether the guest has saved the hotel.
func (s Session) Saved(p id.Property) bool {
	return slices.ContainsFunc(s.Wishes, func(r Remembered) bool { return r.Property == p })
}
