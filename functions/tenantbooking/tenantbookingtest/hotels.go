package tenantbookingtest

import (
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// FakeHotels are fakes of the theme, property, inventory and pricing services. They have one property, of the first
// tenant.
type FakeHotels struct {
	*upstreamtest.Services

	Property hotel.Property
	Others   []hotel.Property // further properties in the list
	theme    int              // its version
	left     int
	price    int64
}

// BuildWithHotels is Build with FakeHotels.
func BuildWithHotels(t testing.TB, fs ...fn.Function) (*System, *FakeHotels) {
	t.Helper()
	db, hotels := pgtest.New(t), OpenHotels(t)
	system := BuildOn(t, db, hotels.Around(db.Env()), fs...)
	hotels.Property.Tenant = system.Platform.Tenants[0].ID
	return system, hotels
}

// OpenHotels starts the fakes. The tenant of the property is set later.
func OpenHotels(t testing.TB) *FakeHotels {
	t.Helper()
	room, rate := id.New[id.RoomType](), id.New[id.RatePlan]()
	s := &FakeHotels{Services: upstreamtest.Open(t, `{"tenantId":null,"roomTypes":null}`), theme: 1, left: 3, price: 100_000_000,
		Property: hotel.Property{
			ID: id.New[id.Property](), TimeZone: "Asia/Kabul",
			Name: locale.Text{Default: "Kabul Grand Hotel", Localized: map[string]string{"ps": "کابل ګرانډ هوټل"}},
			RoomTypes: []hotel.RoomType{{ID: room, Name: "Deluxe", Description: "A large room", MaxOccupancy: 3,
				Localized: map[string]hotel.RoomText{"ps": {Name: "ډیلکس", Description: "لویه خونه"}},
				Photos:    []hotel.Photo{{URL: "data:,", Alt: locale.Text{Default: "A bed"}, Hero: true}}}},
			RatePlans: []hotel.RatePlan{{ID: rate, RoomType: room, Name: "Flexible", MealPlan: "breakfast", Policy: &hotel.Policy{Ref: "pol/1"}}},
		}}
	s.Answers("GET /theme/tenants/{tenant}/theme", "theme", s.findTheme)
	s.Answers("GET /property/properties/{id}", "property", s.property)
	s.Answers("GET /property/properties", "property", s.properties)
	s.Answers("GET /property/policies", "property", s.rules)
	s.Answers("GET /inventory/availability", "inventory", s.rooms)
	s.Answers("GET /pricing/cheapest", "pricing", s.offers)
	return s
}

// Around returns the Env with the URLs of the fakes and the keys of handoffs.
func (s *FakeHotels) Around(e env.Env) env.Env {
	e = s.Services.Around(e, "theme", "property", "inventory", "pricing")
	return e.With("HANDOFF_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
}

// Change sets the theme's version, the rooms left and the price of a night.
func (s *FakeHotels) Change(theme, left int, price int64) {
	s.Do(func() { s.theme, s.left, s.price = theme, left, price })
}

func (s *FakeHotels) findTheme(r *http.Request, _ []byte) any {
	return map[string]any{"tenantId": r.PathValue("tenant"), "themeId": "thm_test", "version": s.theme, "tokens": map[string]string{"primaryColor": "#123456"}}
}

func (s *FakeHotels) property(r *http.Request, _ []byte) any {
	if r.PathValue("id") != s.Property.ID.String() {
		return nil
	}
	return s.Property
}

func (s *FakeHotels) properties(*http.Request, []byte) any {
	return map[string]any{"properties": append([]hotel.Property{s.Property}, s.Others...)}
}

func (s *FakeHotels) rules(*http.Request, []byte) any {
	title := locale.Text{Default: "Check-in", Localized: map[string]string{"ps": "د ننوتلو وخت"}}
	return map[string]any{"policies": []hotel.HouseRule{{Property: s.Property.ID, Kind: "check_in", Title: title, Text: locale.Text{Default: "From 14:00"}}}}
}

func (s *FakeHotels) rooms(r *http.Request, _ []byte) any {
	return map[string]any{"propertyId": r.FormValue("propertyId"), "roomTypes": []any{map[string]any{"roomTypeId": s.Property.RoomTypes[0].ID, "unitsLeft": s.left}}}
}

func (s *FakeHotels) offers(r *http.Request, _ []byte) any {
	night := money.Micro(s.price)
	offer := hotel.Offer{RatePlan: s.Property.RatePlans[0].ID, Nightly: night, Total: 2 * night}
	return map[string]any{"propertyId": r.FormValue("propertyId"), "currency": r.FormValue("currency"),
		"roomTypes": []any{map[string]any{"roomTypeId": s.Property.RoomTypes[0].ID, "rates": []any{offer}}}}
}

// Search returns a search for two nights in the property, that many days from now.
func (s *FakeHotels) Search(now time.Time, days int) hotel.Search {
	day := stay.DateOf(now).AddDays(days)
	return hotel.Search{
		Tenant: s.Property.Tenant, Property: s.Property.ID, Stay: hotel.Stay{CheckIn: day, CheckOut: day.AddDays(2)},
		Occupancy: hotel.Occupancy{Adults: 2, Rooms: 1}, Currency: money.AFN,
	}
}
