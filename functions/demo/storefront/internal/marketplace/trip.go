package marketplace

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Trip is the search form as the guest filled it in. The consumer service validates it.
type Trip struct {
	Place                    string // as typed
	City                     string // as the consumer service names it, once it is known
	CheckIn, CheckOut        string
	Adults, Children, Rooms  string
	Stars, Rating, Type      string
	Price, PriceIn, Free     string
	Wifi, Breakfast, Parking string
	Halal, Prayer, Generator string
	Sort, View               string
	Page                     int // from 0
}

// pageSize is the number of hotels on a page.
const pageSize = 10

// An Option is a field of the form that is "on" or absent, with the amenity that it asks for.
type Option struct{ Name, Code string }

// options are the amenities that the form offers.
var options = []Option{{"wifi", "wifi"}, {"breakfast", "breakfast"}, {"parking", "parking"}, {"halal", "halal-kitchen"},
	{"prayer", "prayer-room"}, {"generator", "generator"}}

// fields returns the filled-in fields of the form by name, without the page.
func (t Trip) fields() url.Values {
	all := map[string]string{"place": t.Place, "city": t.City, "checkIn": t.CheckIn, "checkOut": t.CheckOut, "adults": t.Adults, "children": t.Children,
		"rooms": t.Rooms, "stars": t.Stars, "rating": t.Rating, "type": t.Type, "price": t.Price, "free": t.Free, "wifi": t.Wifi, "breakfast": t.Breakfast,
		"parking": t.Parking, "halal": t.Halal, "prayer": t.Prayer, "generator": t.Generator, "sort": t.Sort, "view": t.View}
	if t.Price != "" {
		all["priceIn"] = t.PriceIn
	}
	query := url.Values{}
	for name, value := range all {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// stay returns the dates and the guests as query parameters.
func (t Trip) stay() url.Values {
	return url.Values{"checkIn": {t.CheckIn}, "checkOut": {t.CheckOut}, "adults": {t.Adults}, "children": {t.Children}, "rooms": {t.Rooms}}
}

// HotelURL returns the address of a hotel's page for the trip. From says where the guest has found it.
func (t Trip) HotelURL(p id.Property, from string) string {
	query := t.stay()
	if from != "" {
		query.Set("from", from)
	}
	return Home + "/" + p.String() + "?" + query.Encode()
}

// On returns the value of a field, for the form.
func (t Trip) On(name string) string { return t.fields().Get(name) }

// WithDefaults returns the trip with defaults for empty fields: two adults, next week, two nights.
func (v *Visitor) WithDefaults(t Trip) Trip {
	if t.CheckIn == "" && t.CheckOut == "" {
		today := stay.DateOf(v.At)
		t.CheckIn, t.CheckOut = today.AddDays(7).String(), today.AddDays(9).String()
	}
	for field, usual := range map[*string]string{&t.Adults: "2", &t.Children: "0", &t.Rooms: "1"} {
		if *field == "" {
			*field = usual
		}
	}
	t.Page = max(0, t.Page)
	return t
}

// A ChosenDate is a date as a form submits it. Functions import it from here, with the rest of the site.
type ChosenDate = page.ChosenDate

// Filtered reports whether the guest has set a filter.
func (t Trip) Filtered() bool { return t.filters() != nil }

// The members of a search's request.
type (
	searchRequest struct {
		Geo       geo           `json:"geo"`
		Dates     dates         `json:"dates"`
		Occupancy occupancy     `json:"occupancy"`
		Filters   *filters      `json:"filters,omitzero"`
		Sort      string        `json:"sortKey,omitzero"`
		Page      *pageNumber   `json:"page,omitzero"`
		Spotlight []id.Property `json:"spotlight,omitempty"`
	}
	geo struct {
		Mode string `json:"mode"`
		City string `json:"city,omitzero"`
		Box  *box   `json:"boundingBox,omitzero"`
	}
	box struct {
		South float64 `json:"swLat"`
		West  float64 `json:"swLng"`
		North float64 `json:"neLat"`
		East  float64 `json:"neLng"`
	}
	dates struct {
		CheckIn  string `json:"checkIn"`
		CheckOut string `json:"checkOut"`
	}
	occupancy struct {
		Adults   int `json:"adults"`
		Children int `json:"children"`
		Rooms    int `json:"rooms"`
	}
	filters struct {
		Price       *priceRange `json:"priceRange,omitzero"`
		Amenities   []string    `json:"amenities,omitempty"`
		Stars       []int       `json:"starRating,omitempty"`
		Rating      float64     `json:"guestRatingMin,omitzero"`
		Types       []string    `json:"propertyType,omitempty"`
		Flexibility string      `json:"cancellationFlexibility,omitzero"`
	}
	priceRange struct {
		Min      float64        `json:"min"`
		Max      float64        `json:"max"`
		Currency money.Currency `json:"currency"`
	}
	pageNumber struct {
		Limit  int `json:"limit"`
		Offset int `json:"offset"`
	}
)

func (t Trip) search() searchRequest {
	return searchRequest{Geo: geo{Mode: "city", City: t.City}, Dates: t.dates(), Occupancy: t.occupancy(), Filters: t.filters(), Sort: t.Sort,
		Page: &pageNumber{pageSize, t.Page * pageSize}}
}

func (t Trip) dates() dates { return dates{t.CheckIn, t.CheckOut} }

func (t Trip) occupancy() occupancy {
	return occupancy{page.Number(t.Adults), page.Number(t.Children), page.Number(t.Rooms)}
}

const maxStars = 5

func (t Trip) filters() *filters {
	var f filters
	for stars := page.Number(t.Stars); t.Stars != "" && stars <= maxStars; stars++ {
		f.Stars = append(f.Stars, stars)
	}
	if price := page.Number(t.Price); price > 0 && t.PriceIn != "" {
		f.Price = &priceRange{Max: float64(price), Currency: money.Currency(t.PriceIn)}
	}
	f.Rating = float64(page.Number(t.Rating))
	if t.Type != "" {
		f.Types = []string{t.Type}
	}
	if t.Free != "" {
		f.Flexibility = "free"
	}
	chosen := t.fields()
	for _, o := range options {
		if chosen.Has(o.Name) {
			f.Amenities = append(f.Amenities, o.Code)
		}
	}
	if f.Stars == nil && f.Price == nil && f.Rating == 0 && f.Types == nil && f.Flexibility == "" && f.Amenities == nil {
		return nil
	}
	return &f
}

// Is reports whether a suggestion has exactly the name that the guest typed, in any language.
func (d Destination) Is(text string) bool {
	return slices.ContainsFunc(d.names(), func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(text)) })
}

// Begins reports whether a name of the city begins with the text, in any language.
func (d Destination) Begins(text string) bool {
	if i := strings.IndexAny(text, ",،"); i >= 0 { // the name of its country follows
		text = text[:i]
	}
	text = strings.ToLower(strings.TrimSpace(text))
	return slices.ContainsFunc(d.names(), func(name string) bool { return strings.HasPrefix(strings.ToLower(name), text) })
}

func (d Destination) names() []string {
	return slices.AppendSeq([]string{d.City, d.Name.Default, d.Name.Display}, maps.Values(d.Name.Localized))
}
