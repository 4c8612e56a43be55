package consumertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// FakeListings is a fake of the search, pricing, theme, property and tenant services. Each of its hotels belongs to another
// tenant.
type FakeListings struct {
	*upstreamtest.Services // named by the last segment of their path

	Hotels []Hotel
	now    func() time.Time
}

// A Hotel is one hotel of the fake services. The price of a night is in micro units of its own currency.
type Hotel struct {
	consumer.Listing
	Color     string
	Nightly   money.Micro
	Currency  money.Currency
	Room      id.RoomType
	Domains   []string // of its own site
	Suspended bool
}

// OpenBazaar starts fake services with the given number of hotels in Kabul, with prices in afghani.
func OpenBazaar(t testing.TB, hotels int) *FakeListings {
	t.Helper()
	none := `{"listings":null,"pins":null,"previews":null,"brands":null,"policies":null}`
	b := &FakeListings{Services: upstreamtest.Open(t, none), now: env.Of(nil).Now}
	for n := range hotels {
		b.Hotels = append(b.Hotels, hotel(n))
	}
	for pattern, answer := range map[string]upstreamtest.Answer{
		"POST /search/searches": b.search, "POST /search/pins": b.pins,
		"POST /pricing/previews": b.previews, "GET /pricing/calendar": b.calendar, "GET /pricing/cheapest": b.cheapest,
		"POST /theme/brands":            b.brands,
		"GET /property/properties/{id}": b.property, "GET /property/policies": b.policies,
		"GET /tenant/tenants/{id}": b.tenant,
	} {
		b.Answers(pattern, strings.Split(pattern, "/")[2], answer)
	}
	return b
}

func hotel(n int) Hotel {
	return Hotel{
		Listing: consumer.Listing{
			Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), Slug: fmt.Sprintf("hotel-%d", n),
			Name: locale.Text{Default: fmt.Sprintf("Hotel %d", n), Localized: map[string]string{"ps": fmt.Sprintf("هوټل %d", n)}},
			City: "Kabul", Country: "AF", Geo: consumer.Position{Lat: 34.5 + float64(n%20)/100, Lng: 69.1 + float64(n/20)/100},
			Thumbnail: consumer.Thumbnail{URL: "/photo.svg", Alt: locale.Text{Default: "A house", Localized: map[string]string{"ps": "کور"}}},
			Stars:     4, Rating: &consumer.GuestRating{Value: 4.5, Count: 10}, Amenities: []string{"wifi", "breakfast", "parking", "prayer-room", "halal-kitchen", "garden"},
			Type: "hotel", Badges: []string{"shariaCompliant"},
		},
		Color: "#1a2b3c", Nightly: 4_000_000_000, Currency: money.AFN, Room: id.New[id.RoomType](),
	}
}

// Around returns the environment with the URLs of the fake services added.
func (b *FakeListings) Around(e env.Env) env.Env {
	b.now = e.Now
	return b.Services.Around(e, "search", "pricing", "theme", "property", "tenant")
}

func (b *FakeListings) of(property string) *Hotel {
	i := slices.IndexFunc(b.Hotels, func(h Hotel) bool { return h.Property.String() == property })
	if i < 0 {
		return nil
	}
	return &b.Hotels[i]
}
