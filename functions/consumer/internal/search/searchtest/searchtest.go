// Package searchtest has fakes of the services that package search calls.
package searchtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// Services are fakes of the search, pricing, theme, property and tenant services. Each of its hotels belongs to another
// tenant.
type Services struct {
	*upstreamtest.Services // named by the last segment of their path

	Hotels []Hotel
	Places map[string]any // what the search service names a searched city or region, by the name in the request
	Cells  []string       // of Kabul and of the box of a map, as the search service names them
	Hidden int            // hotels on the map that no pin represents
	now    func() time.Time
}

// A Hotel is one hotel of the fake services. The price of a night is in micro units of its own currency.
type Hotel struct {
	search.Listing
	Color     string
	Nightly   money.Micro
	Currency  money.Currency
	Room      id.RoomType
	Domains   []string // of its own site
	Booked    int      // in the last 24 hours
	Viewed    int      // in the last hour
	OwnMoney  bool     // there is no exchange rate for its currency
	Suspended bool
}

// Open starts the fakes with the given number of hotels in Kabul, with prices in afghani.
func Open(t testing.TB, hotels int) *Services {
	t.Helper()
	none := `{"listings":null,"pins":null,"previews":null,"brands":null,"policies":null,"destinations":null}`
	s := &Services{Services: upstreamtest.Open(t, none), now: env.Of(nil).Now}
	kabul := search.NamedPlace{City: "Kabul", Country: "AF"}
	s.Places = map[string]any{"Kabul": kabul, "kabul": kabul, "کابل": kabul}
	for n := range hotels {
		s.Hotels = append(s.Hotels, hotel(n))
	}
	for pattern, answer := range map[string]upstreamtest.Answer{
		"POST /search/searches": s.search, "POST /search/pins": s.pins,
		"POST /search/listings": s.listings, "POST /search/similar": s.similar, "GET /search/popularity": s.popularity, "GET /search/destinations": s.destinations,
		"POST /pricing/previews": s.previews, "GET /pricing/calendar": s.calendar, "GET /pricing/cheapest": s.cheapest,
		"POST /theme/brands":            s.brands,
		"GET /property/properties/{id}": s.property, "GET /property/policies": s.policies,
		"GET /tenant/tenants/{id}": s.tenant,
	} {
		s.Answers(pattern, strings.Split(pattern, "/")[2], answer)
	}
	return s
}

func hotel(n int) Hotel {
	return Hotel{
		Listing: search.Listing{
			Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), Slug: fmt.Sprintf("hotel-%d", n),
			Name: locale.Text{Default: fmt.Sprintf("Hotel %d", n), Localized: map[string]string{"ps": fmt.Sprintf("هوټل %d", n)}},
			City: "Kabul", Country: "AF", Geo: search.Position{Lat: 34.5 + float64(n%20)/100, Lng: 69.1 + float64(n/20)/100},
			Thumbnail: search.Thumbnail{URL: "/photo.svg", Alt: locale.Text{Default: "A house", Localized: map[string]string{"ps": "کور"}}},
			Stars:     4, Rating: &search.GuestRating{Value: 4.5, Count: 10}, Amenities: []string{"wifi", "breakfast", "parking", "prayer-room", "halal-kitchen", "garden"},
			Type: "hotel", Badges: []search.Badge{search.ShariaCompliant},
		},
		Color: "#1a2b3c", Booked: 4, Viewed: 9, Nightly: 4_000_000_000, Currency: money.AFN, Room: id.New[id.RoomType](),
	}
}

// Around returns the environment with the URLs of the fake services added.
func (s *Services) Around(e env.Env) env.Env {
	s.now = e.Now
	return s.Services.Around(e, "search", "pricing", "theme", "property", "tenant")
}

func (s *Services) of(property string) *Hotel {
	i := slices.IndexFunc(s.Hotels, func(h Hotel) bool { return h.Property.String() == property })
	if i < 0 {
		return nil
	}
	return &s.Hotels[i]
}
