package tenantbookingtest

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/pgtest"
	"melmastoon.ghasi.io/shared/stay"
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

// Shops are the neighbours that a hotel's site shows its rooms from: theme, property, inventory and pricing. They know one
// house, the first hotel's.
type Shops struct {
	House tenantbooking.House

	mu     sync.Mutex
	moods  map[string]Mood
	asked  map[string]int
	theme  int // its version
	left   int
	price  int64
	before func(shop string)
	server *httptest.Server
}

// Shopping is Build with the shops in town.
func Shopping(t testing.TB, fs ...fn.Function) (*Street, *Shops) {
	t.Helper()
	db, shops := pgtest.New(t), OpenShops(t)
	street := BuildOn(t, db, shops.Around(db.Env()), fs...)
	shops.House.Tenant = street.Town.Tenants[0].ID
	return street, shops
}

// OpenShops opens them. Whose the house is, is said later.
func OpenShops(t testing.TB) *Shops {
	t.Helper()
	room, rate := id.New[id.RoomType](), id.New[id.RatePlan]()
	s := &Shops{moods: map[string]Mood{}, asked: map[string]int{}, theme: 1, left: 3, price: 100_000_000, before: func(string) {},
		House: tenantbooking.House{
			ID: id.New[id.Property](),
			RoomTypes: []tenantbooking.RoomType{{ID: room, Name: "Deluxe", Description: "A large room", MaxOccupancy: 3,
				Localized: map[string]tenantbooking.RoomText{"ps": {Name: "ډیلکس", Description: "لویه خونه"}},
				Photos:    []tenantbooking.Photo{{URL: "data:,", Alt: tenantbooking.Text{Default: "A bed"}, Hero: true}}}},
			RatePlans: []tenantbooking.RatePlan{{ID: rate, RoomType: room, Name: "Flexible", MealPlan: "breakfast", Policy: &tenantbooking.Policy{Ref: "pol/1"}}},
		}}
	m := http.NewServeMux()
	m.HandleFunc("GET /theme/tenants/{tenant}/theme", s.serve("theme", s.look))
	m.HandleFunc("GET /property/properties/{id}", s.serve("property", s.house))
	m.HandleFunc("GET /property/policies", s.serve("property", s.rules))
	m.HandleFunc("GET /inventory/availability", s.serve("inventory", s.rooms))
	m.HandleFunc("GET /pricing/cheapest", s.serve("pricing", s.offers))
	s.server = httptest.NewServer(m)
	t.Cleanup(func() { s.server.CloseClientConnections(); s.server.Close() })
	return s
}

// Around returns the surroundings with the shops in them, and the keys of handoffs.
func (s *Shops) Around(e env.Env) env.Env {
	for _, name := range []string{"theme", "property", "inventory", "pricing"} {
		e = e.With("UPSTREAM_"+strings.ToUpper(name)+"_URL", s.server.URL+"/"+name)
	}
	return e.With("HANDOFF_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
}

// Mood changes how a shop answers from now on.
func (s *Shops) Mood(shop string, m Mood) { s.do(func() { s.moods[shop] = m }) }

// Change changes what the shops have: the theme's version, the rooms left, the price of a night.
func (s *Shops) Change(theme, left int, price int64) {
	s.do(func() { s.theme, s.left, s.price = theme, left, price })
}

// Before has f called before each answer, after what it says is fixed.
func (s *Shops) Before(f func(shop string)) { s.do(func() { s.before = f }) }

// Asked is how often a shop was asked.
func (s *Shops) Asked(shop string) (n int) {
	s.do(func() { n = s.asked[shop] })
	return n
}

func (s *Shops) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *Shops) serve(shop string, answer func(*http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var mood Mood
		var before func(string)
		var body any
		s.do(func() {
			mood, before = s.moods[shop], s.before
			s.asked[shop]++
			body = answer(r)
		})
		before(shop)
		switch {
		case mood == Hanging:
			<-r.Context().Done()
		case mood == Failing:
			w.WriteHeader(http.StatusInternalServerError)
		case mood == Garbled:
			_, _ = w.Write([]byte(`{"tenantId":null,"roomTypes":null}`))
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

func (s *Shops) look(r *http.Request) any {
	return map[string]any{"tenantId": r.PathValue("tenant"), "themeId": "thm_test", "version": s.theme, "tokens": map[string]string{"primaryColor": "#123456"}}
}

func (s *Shops) house(r *http.Request) any {
	if r.PathValue("id") != s.House.ID.String() {
		return nil
	}
	return s.House
}

func (s *Shops) rules(*http.Request) any {
	title := tenantbooking.Text{Default: "Check-in", Localized: map[string]string{"ps": "د ننوتلو وخت"}}
	return map[string]any{"policies": []tenantbooking.HouseRule{{Property: s.House.ID, Kind: "check_in", Title: title, Text: tenantbooking.Text{Default: "From 14:00"}}}}
}

func (s *Shops) rooms(r *http.Request) any {
	return map[string]any{"propertyId": r.FormValue("propertyId"), "roomTypes": []any{map[string]any{"roomTypeId": s.House.RoomTypes[0].ID, "unitsLeft": s.left}}}
}

func (s *Shops) offers(r *http.Request) any {
	night := money.Micro(s.price)
	offer := tenantbooking.Offer{RatePlan: s.House.RatePlans[0].ID, Nightly: night, Total: 2 * night}
	return map[string]any{"propertyId": r.FormValue("propertyId"), "currency": r.FormValue("currency"),
		"roomTypes": []any{map[string]any{"roomTypeId": s.House.RoomTypes[0].ID, "rates": []any{offer}}}}
}

// Search asks for two nights in the house, so many days from now.
func (s *Shops) Search(now time.Time, days int) tenantbooking.Search {
	day := stay.DateOf(now).AddDays(days)
	return tenantbooking.Search{
		Tenant: s.House.Tenant, Property: s.House.ID, Stay: tenantbooking.Stay{CheckIn: day, CheckOut: day.AddDays(2)},
		Occupancy: tenantbooking.Occupancy{Adults: 2, Rooms: 1}, Currency: money.AFN,
	}
}
