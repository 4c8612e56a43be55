package consumertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A Mood is how a neighbour answers.
type Mood int

// The moods.
const (
	Well    Mood = iota
	Hanging      // until the caller gives up
	Failing
	Garbled // something else than what was asked for
	Garbage // no JSON
	Endless // 10 MB
)

// A Bazaar is the services that hotels are found and shown from: search, pricing, theme, property and tenant. Each hotel in it
// is another company's.
type Bazaar struct {
	Hotels []Hotel

	mu     sync.Mutex
	moods  map[string]Mood
	asked  map[string]int
	bodies map[string]string
	before func(stall string)
	server *httptest.Server
	now    func() time.Time
}

// A Hotel is one hotel of a bazaar. What is charged for a night is in micro units of its own currency.
type Hotel struct {
	consumer.Listing
	Color     string
	Nightly   money.Micro
	Currency  money.Currency
	Room      id.RoomType
	Domains   []string // of its own site
	Suspended bool
}

// OpenBazaar opens one with so many hotels in Kabul, whose own currency is the afghani.
func OpenBazaar(t testing.TB, hotels int) *Bazaar {
	t.Helper()
	b := &Bazaar{moods: map[string]Mood{}, asked: map[string]int{}, bodies: map[string]string{}, before: func(string) {}, now: env.Of(nil).Now}
	for n := range hotels {
		b.Hotels = append(b.Hotels, hotel(n))
	}
	m := http.NewServeMux()
	for pattern, answer := range map[string]func(*http.Request, []byte) any{
		"POST /search/searches": b.search, "POST /search/pins": b.pins,
		"POST /pricing/previews": b.previews, "GET /pricing/calendar": b.calendar, "GET /pricing/cheapest": b.cheapest,
		"POST /theme/brands":            b.brands,
		"GET /property/properties/{id}": b.property, "GET /property/policies": b.policies,
		"GET /tenant/tenants/{id}": b.tenant,
	} {
		stall := strings.Split(pattern, "/")[2]
		m.HandleFunc(pattern, b.serve(stall, answer))
	}
	b.server = httptest.NewServer(m)
	t.Cleanup(func() { b.server.CloseClientConnections(); b.server.Close() })
	return b
}

func hotel(n int) Hotel {
	km := float64(n)
	return Hotel{
		Listing: consumer.Listing{
			Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), Slug: fmt.Sprintf("hotel-%d", n),
			Name: consumer.Text{Default: fmt.Sprintf("Hotel %d", n), Localized: map[string]string{"ps": fmt.Sprintf("هوټل %d", n)}},
			City: "Kabul", Country: "AF", Geo: consumer.Position{Lat: 34.5 + float64(n%20)/100, Lng: 69.1 + float64(n/20)/100},
			Thumbnail: consumer.Thumbnail{URL: "/photo.svg", Alt: consumer.Text{Default: "A house", Localized: map[string]string{"ps": "کور"}}},
			Stars:     4, Rating: &consumer.GuestRating{Value: 4.5, Count: 10}, Amenities: []string{"wifi", "breakfast", "parking", "prayer-room", "halal-kitchen", "garden"},
			Type: "hotel", Badges: []string{"shariaCompliant"}, DistanceKm: &km,
		},
		Color: "#1a2b3c", Nightly: 4_000_000_000, Currency: money.AFN, Room: id.New[id.RoomType](),
	}
}

// Around returns the surroundings with the bazaar in them.
func (b *Bazaar) Around(e env.Env) env.Env {
	b.now = e.Now
	for _, name := range []string{"search", "pricing", "theme", "property", "tenant"} {
		e = e.With("UPSTREAM_"+strings.ToUpper(name)+"_URL", b.server.URL+"/"+name)
	}
	return e
}

// Mood changes how a stall answers from now on. Stalls are called by the last word of their path.
func (b *Bazaar) Mood(stall string, m Mood) { b.Do(func() { b.moods[stall] = m }) }

// Before has f called before each answer, after what it says is fixed.
func (b *Bazaar) Before(f func(stall string)) { b.Do(func() { b.before = f }) }

// Asked is how often a stall was asked.
func (b *Bazaar) Asked(stall string) (n int) {
	b.Do(func() { n = b.asked[stall] })
	return n
}

// Body is what a stall was asked last.
func (b *Bazaar) Body(stall string) (body string) {
	b.Do(func() { body = b.bodies[stall] })
	return body
}

// Do changes what the bazaar has.
func (b *Bazaar) Do(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *Bazaar) serve(stall string, answer func(*http.Request, []byte) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var mood Mood
		var before func(string)
		var body any
		in := read(r)
		b.Do(func() {
			mood, before = b.moods[stall], b.before
			b.asked[stall]++
			b.bodies[stall] = string(in) + r.URL.RawQuery
			body = answer(r, in)
		})
		before(stall)
		switch {
		case mood == Hanging:
			<-r.Context().Done()
		case mood == Failing:
			w.WriteHeader(http.StatusInternalServerError)
		case mood == Garbled:
			_, _ = w.Write([]byte(`{"listings":null,"pins":null,"previews":null,"brands":null,"policies":null}`))
		case mood == Garbage:
			_, _ = w.Write([]byte("<html>"))
		case mood == Endless:
			_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("x", 10<<20) + `"}`))
		case body == nil:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND","detail":"No."}`))
		default:
			_ = json.MarshalWrite(w, body)
		}
	}
}

func (b *Bazaar) of(property string) *Hotel {
	i := slices.IndexFunc(b.Hotels, func(h Hotel) bool { return h.Property.String() == property })
	if i < 0 {
		return nil
	}
	return &b.Hotels[i]
}
