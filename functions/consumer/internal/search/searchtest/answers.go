package searchtest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// FX is the exchange rate: one unit of any other currency costs 80 afghani.
var FX = id.FX{15: 80}

func (s *Services) search(_ *http.Request, body []byte) any {
	var in struct {
		search.Query
		Page search.Page `json:"page"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil
	}
	found := []search.Listing{}
	for _, h := range s.Hotels {
		called := h.City == "Kabul" && in.Geo.City == "کابل"
		if in.Geo.City == "" || called || strings.EqualFold(in.Geo.City, h.City) {
			found = append(found, h.Listing)
		}
	}
	from := min(in.Page.Offset, len(found))
	return map[string]any{"listings": found[from:min(len(found), from+in.Page.Limit)], "total": len(found),
		"place": s.Places[cmp.Or(in.Geo.City, in.Geo.Region)], "geoCells": s.cellsOf(in.Geo)}
}

// cellsOf returns the cells of a searched place: of Kabul and of a box Cells, of another city none.
func (s *Services) cellsOf(place search.GeoQuery) []string {
	if place.City != "" && !strings.EqualFold(place.City, "Kabul") {
		return nil
	}
	return s.Cells
}

// pins returns a pin for each hotel in the box. If there are more than the limit, consecutive hotels share a pin, in the place of the first.
func (s *Services) pins(_ *http.Request, body []byte) any {
	var in struct {
		Geo   search.GeoQuery `json:"geo"`
		Limit int             `json:"limit"`
	}
	if json.Unmarshal(body, &in) != nil || in.Limit < 1 || in.Geo.Box == nil {
		return nil
	}
	box, pins := in.Geo.Box, []search.Pin{}
	found := slices.DeleteFunc(slices.Clone(s.Hotels), func(h Hotel) bool {
		return h.Suspended || h.Geo.Lat < box.SwLat || h.Geo.Lat > box.NeLat || h.Geo.Lng < box.SwLng || h.Geo.Lng > box.NeLng
	})
	for group := range slices.Chunk(found, max(1, (len(found)+in.Limit-1)/in.Limit)) {
		pins = append(pins, search.Pin{Property: group[0].Property, Tenant: group[0].Tenant, Geo: group[0].Geo, Count: len(group)})
	}
	return map[string]any{"pins": pins, "total": len(found) + s.Hidden, "geoCells": s.cellsOf(in.Geo),
		"place": search.NamedPlace{City: "Kabul", Country: "AF"}}
}

// in returns a price in another currency, and the exchange-rate snapshot of the conversion; without an exchange rate, in its own.
func (h *Hotel) in(c money.Currency) (money.Micro, money.Currency, id.FX) {
	if c == h.Currency || h.OwnMoney {
		return h.Nightly, h.Currency, id.FX{}
	}
	return h.Nightly / 80, c, FX
}

func (s *Services) previews(_ *http.Request, body []byte) any {
	var in struct {
		Properties []string       `json:"propertyIds"`
		Stay       stay.Window    `json:"stayWindow"`
		Currency   money.Currency `json:"currency"`
	}
	_ = json.Unmarshal(body, &in)
	previews := []search.Preview{}
	for _, p := range in.Properties {
		if h := s.of(p); h != nil && h.Nightly > 0 {
			nightly, currency, fx := h.in(in.Currency)
			previews = append(previews, search.Preview{Property: h.Property, Nightly: nightly, Total: nightly * money.Micro(in.Stay.Nights()),
				Currency: currency, FX: fx, CapturedAt: s.now()})
		}
	}
	return map[string]any{"previews": previews}
}

func (s *Services) calendar(r *http.Request, _ []byte) any {
	h := s.of(r.FormValue("propertyId"))
	from, err := stay.ParseDate(r.FormValue("from"))
	if h == nil || err != nil {
		return nil
	}
	nightly, currency, _ := h.in(money.Currency(r.FormValue("currency")))
	days := []search.DayPrice{}
	for n := range 7 {
		days = append(days, search.DayPrice{Date: from.AddDays(n), Cheapest: nightly})
	}
	return search.Calendar{Days: days, Currency: currency}
}

func (s *Services) cheapest(r *http.Request, _ []byte) any {
	h := s.of(r.FormValue("propertyId"))
	if h == nil || h.Tenant.String() != r.FormValue("tenantId") {
		return nil
	}
	nightly, currency, fx := h.in(money.Currency(r.FormValue("currency")))
	if r.FormValue("currency") != string(currency) { // as in the sandbox
		return upstreamtest.Problem{Status: http.StatusUnprocessableEntity, Code: "MELMASTOON.BFF.CONSUMER.CURRENCY_NOT_SUPPORTED"}
	}
	out := search.Offers{Property: h.Property, Currency: currency, RoomTypes: []search.RoomOffers{
		{RoomType: h.Room, Rates: []search.Offer{{RatePlan: id.RatePlan{15: 1}, Nightly: nightly, Total: 2 * nightly}}}}}
	if !fx.IsZero() {
		out.FX = &search.Conversion{ID: fx}
	}
	return out
}

func (s *Services) brands(_ *http.Request, body []byte) any {
	var in struct {
		Tenants []id.Tenant `json:"tenantIds"`
	}
	_ = json.Unmarshal(body, &in)
	brands := []search.Brand{}
	for _, h := range s.Hotels {
		if slices.Contains(in.Tenants, h.Tenant) && h.Color != "" {
			brands = append(brands, search.Brand{Tenant: h.Tenant, Color: h.Color, LogoURL: "/logo.svg", Name: h.Name})
		}
	}
	return map[string]any{"brands": brands}
}

func (s *Services) property(r *http.Request, _ []byte) any {
	h := s.of(r.PathValue("id"))
	if h == nil {
		return nil
	}
	photo := search.Photo{URL: h.Thumbnail.URL, Alt: h.Thumbnail.Alt, Hero: true}
	return search.Property{
		ID: h.Property, Tenant: h.Tenant, Name: h.Name, City: h.City, Country: h.Country, Geo: h.Geo, TimeZone: "Asia/Kabul", Stars: h.Stars,
		Rating: h.Rating, Type: h.Type, Amenities: h.Amenities, CheckIn: "14:00", CheckOut: "11:00", Photos: []search.Photo{photo},
		RoomTypes: []search.RoomType{{ID: h.Room, Name: "Deluxe", Description: "A large room", MaxOccupancy: 3, Photos: []search.Photo{photo},
			Localized: map[string]search.RoomText{"ps": {Name: "ډیلکس", Description: "لویه خونه"}}}},
	}
}

func (s *Services) policies(r *http.Request, _ []byte) any {
	rules := []search.PropertyRule{}
	for _, h := range s.Hotels {
		if h.Tenant.String() == r.FormValue("tenantId") {
			rules = append(rules, search.PropertyRule{Property: h.Property, Kind: "cancellation",
				Text: locale.Text{Default: "Free until the day before", Localized: map[string]string{"ps": "وړیا"}}})
		}
	}
	return map[string]any{"policies": rules}
}

func (s *Services) tenant(r *http.Request, _ []byte) any {
	for _, h := range s.Hotels {
		if h.Tenant.String() == r.PathValue("id") {
			status := map[bool]string{false: "active", true: "suspended"}[h.Suspended]
			return search.Tenant{ID: h.Tenant, Slug: h.Slug, Domains: h.Domains, Status: status, Currency: h.Currency,
				Currencies: []money.Currency{h.Currency, money.USD}, Locales: []locale.Tag{locale.Dari}}
		}
	}
	return nil
}
