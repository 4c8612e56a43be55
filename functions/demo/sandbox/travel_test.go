package sandbox_test

import (
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// asked is a search as travellers' pages send it.
func (w manyHotels) asked(change func(body)) body {
	b := body{"geo": body{"mode": "city", "city": "Kabul"}, "dates": body{"checkIn": w.today.AddDays(20), "checkOut": w.today.AddDays(23)},
		"occupancy": body{"adults": 2, "children": 0, "rooms": 1}, "sortKey": "recommended", "page": body{"limit": 20, "offset": 0}}
	if change != nil {
		change(b)
	}
	return b
}

type listed struct {
	Listings []search.Listing `json:"listings"`
	Total    int              `json:"total"`
}

func TestHTTP_search(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	const path = "/sandbox/search/v1/searches"
	var got listed
	f.Post(path, w.asked(nil)).Into(t, &got)
	i := slices.IndexFunc(got.Listings, func(l search.Listing) bool { return l.Property == kabul.Property })
	if got.Total != 8 {
		t.Fatalf("got.Total = %d, want 8", got.Total)
	}
	if i < 0 {
		t.Fatalf("i = %d, want at least 0", i)
	}
	l := got.Listings[i]
	if l.Name.Localized["ps-AF"] != kabul.Name.Localized["ps-AF"] {
		t.Errorf(`l.Name.Localized["ps-AF"] = %q, want %q`, l.Name.Localized["ps-AF"], kabul.Name.Localized["ps-AF"])
	}
	if l.Thumbnail.URL == "" {
		t.Error("l.Thumbnail.URL is empty")
	}
	if l.GuestRating.Count != kabul.Rating.Count {
		t.Errorf("l.GuestRating.Count = %d, want %d", l.GuestRating.Count, kabul.Rating.Count)
	}
	if l.Country != "AF" {
		t.Errorf(`l.Country = %q, want "AF"`, l.Country)
	}
	if l.StarRating != 4 {
		t.Errorf("l.StarRating = %d, want 4", l.StarRating)
	}
	if len(l.Amenities) < 5 {
		t.Errorf("len(l.Amenities) = %d, want at least 5", len(l.Amenities))
	}
	if l.DistanceKm == nil {
		t.Error("l.DistanceKm = nil, want a value")
	}
	if l.Type != "hotel" {
		t.Errorf(`l.Type = %q, want "hotel"`, l.Type)
	}
	if l.IndexedAt.IsZero() {
		t.Error("l.IndexedAt is zero")
	}
	for name, change := range map[string]func(body){
		"no place":                func(b body) { b["geo"] = body{"mode": "city"} },
		"two places":              func(b body) { b["geo"] = body{"mode": "city", "city": "Kabul", "region": "Balkh"} },
		"a mode without its kind": func(b body) { b["geo"] = body{"mode": "point", "city": "Kabul"} },
		"a point beyond the pole": func(b body) { b["geo"] = body{"mode": "point", "point": body{"lat": 91, "lng": 0, "radiusKm": 1}} },
		"a box upside down": func(b body) {
			b["geo"] = body{"mode": "bounding-box", "boundingBox": body{"swLat": 2, "swLng": 0, "neLat": 1, "neLng": 1}}
		},
		"nights that run backwards": func(b body) { b["dates"] = body{"checkIn": w.today.AddDays(3), "checkOut": w.today.AddDays(2)} },
		"no adults":                 func(b body) { b["occupancy"] = body{"adults": 0, "children": 2, "rooms": 1} },
		"more rooms than adults":    func(b body) { b["occupancy"] = body{"adults": 1, "children": 0, "rooms": 2} },
		"ages of other children": func(b body) {
			b["occupancy"] = body{"adults": 1, "children": 1, "rooms": 1, "childrenAges": []int{3, 4}}
		},
		"an order that is none":         func(b body) { b["sortKey"] = "cheapest" },
		"a page of two hundred and one": func(b body) { b["page"] = body{"limit": 201, "offset": 0} },
		"a price that runs backwards":   func(b body) { b["filters"] = body{"priceRange": body{"min": 9, "max": 8, "currency": "USD"}} },
		"a rating of six":               func(b body) { b["filters"] = body{"guestRatingMin": 6} },
		"an unknown currency":           func(b body) { b["currency"] = "XXX" },
		"something that is not there":   func(b body) { b["filters"] = body{"stars": []int{5}} },
		"an unknown flexibility":        func(b body) { b["filters"] = body{"cancellationFlexibility": "maybe"} },
	} {
		t.Run(name, func(t *testing.T) {
			if got := f.Post(path, w.asked(change)); got.Code() != "GENERAL.VALIDATION_FAILED" {
				t.Errorf("%d %s", got.Status, got.Code())
			}
		})
	}
	f.Post(path, w.asked(nil), "X-Sandbox-Scenario", "sold_out").Into(t, &got)
	if got.Total != 0 {
		t.Errorf("sold out: got.Total = %d, want 0", got.Total)
	}
	if got.Listings == nil {
		t.Error("sold out: got.Listings = nil, want a value")
	}
	if len(got.Listings) != 0 {
		t.Errorf("sold out: len(got.Listings) = %d, want 0", len(got.Listings))
	}
	if got := f.Post(path, w.asked(nil), "X-Sandbox-Scenario", "upstream_down"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("down: %d", got.Status)
	}
	if got := f.As("").Post(path, w.asked(nil)); got.Status != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", got.Status)
	}
}

func TestPreview_agreesWithQuote(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	window := w.nights(20, 3)
	ask := func(currency string, headers ...string) (out struct {
		Previews []pricing.Preview `json:"previews"`
	}) {
		t.Helper()
		f.Post("/sandbox/pricing/v1/previews", body{"propertyIds": []any{demo.HeratGarden.Property, id.New[id.Property](), kabul.Property}, "currency": currency,
			"stayWindow": window, "occupancy": body{"adults": 3, "children": 1, "rooms": 2}}, headers...).Into(t, &out)
		return out
	}
	got := ask("USD").Previews
	if len(got) != 2 {
		t.Fatalf("len(got) = %d, want 2", len(got))
	}
	if got[0].Property != demo.HeratGarden.Property {
		t.Fatalf("got[0].Property = %v, want %v", got[0].Property, demo.HeratGarden.Property)
	}
	if got[1].Tenant != kabul.Tenant {
		t.Fatalf("got[1].Tenant = %v, want %v", got[1].Tenant, kabul.Tenant)
	}
	if got[1].FX.IsZero() {
		t.Fatal("got[1].FX is zero")
	}
	if got[1].CapturedAt.IsZero() {
		t.Fatal("got[1].CapturedAt is zero")
	}
	for i, hotel := range []demo.Hotel{demo.HeratGarden, kabul} {
		t.Run(hotel.Slug, func(t *testing.T) {
			var all compared
			f.Get("/sandbox/pricing/v1/cheapest?tenantId="+hotel.Tenant.String()+"&propertyId="+hotel.Property.String()+"&start="+window.Start.String()+
				"&end="+window.End.String()+"&currency=USD&adults=3&children=1&rooms=2").Into(t, &all)
			best := all.RoomTypes[0]
			if got[i].RoomType != best.RoomType {
				t.Errorf("got[i].RoomType = %v, want %v", got[i].RoomType, best.RoomType)
			}
			if got[i].RatePlan != best.Cheapest {
				t.Errorf("got[i].RatePlan = %v, want %v", got[i].RatePlan, best.Cheapest)
			}
			if got[i].Total != best.Rates[0].Total {
				t.Errorf("got[i].Total = %d, want %d", got[i].Total, best.Rates[0].Total)
			}
			if got[i].Nightly != best.Rates[0].Nightly {
				t.Errorf("got[i].Nightly = %d, want %d", got[i].Nightly, best.Rates[0].Nightly)
			}
		})
	}
	if dear := ask("USD", "X-Sandbox-Scenario", "price_changed").Previews; dear[0].Total <= got[0].Total {
		t.Errorf("after prices have changed: %d, before: %d", dear[0].Total, got[0].Total)
	}
	in := ask("GBP").Previews
	if len(in) != 2 {
		t.Fatalf("len(in) = %d, want 2", len(in))
	}
	if in[1].Currency != "GBP" {
		t.Errorf(`in[1].Currency = %q, want "GBP"`, in[1].Currency)
	}
	if full := ask("USD", "X-Sandbox-Scenario", "sold_out").Previews; len(full) != 0 {
		t.Errorf("sold out: %+v", full)
	}
	past := w.nights(-3, 2)
	window = stay.Window{Start: past.Start, End: past.End}
	if gone := ask("USD").Previews; len(gone) != 0 {
		t.Errorf("of nights that are over: %+v", gone)
	}
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	var got struct {
		Days []pricing.DayPrice `json:"days"`
	}
	path := "/sandbox/pricing/v1/calendar?propertyId=" + kabul.Property.String() + "&from=" + w.today.AddDays(20).String() + "&days=7&currency=AFN"
	f.Get(path).Into(t, &got)
	standard := kabul.Rooms[0]
	if len(got.Days) != 7 {
		t.Fatalf("len(got.Days) = %d, want 7", len(got.Days))
	}
	if got.Days[0].Date != w.today.AddDays(20) {
		t.Fatalf("got.Days[0].Date = %v, want %v", got.Days[0].Date, w.today.AddDays(20))
	}
	for _, d := range got.Days {
		want := standard.Saver.Quiet
		if weekday := d.Date.Time().Weekday(); weekday >= 4 {
			want = standard.Saver.Busy
		}
		if d.Cheapest != want {
			t.Errorf("%s: %d, want %d", d.Date, d.Cheapest, want)
		}
	}
	for _, room := range kabul.Rooms {
		w.takes(t, kabul, room, w.nights(22, 1), room.Units)
	}
	w.takes(t, kabul, standard, w.nights(23, 1), standard.Units)
	f.Get(path).Into(t, &got)
	if len(got.Days) != 6 {
		t.Fatalf("len(got.Days) = %d, want 6", len(got.Days))
	}
	if got.Days[2].Date != w.today.AddDays(23) {
		t.Errorf("got.Days[2].Date = %v, want %v", got.Days[2].Date, w.today.AddDays(23))
	}
	if got.Days[2].Cheapest < kabul.Rooms[1].Saver.Quiet {
		t.Errorf("got.Days[2].Cheapest = %d, want at least %d", got.Days[2].Cheapest, kabul.Rooms[1].Saver.Quiet)
	}
	if got := f.Get("/sandbox/pricing/v1/calendar?propertyId=" + id.New[id.Property]().String() + "&from=2027-01-01&days=7&currency=AFN"); got.Status != http.StatusNotFound {
		t.Errorf("an unknown hotel: %d", got.Status)
	}
}

func TestBrands(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	ask := func() map[id.Tenant]directory.Brand {
		t.Helper()
		var got struct {
			Brands []directory.Brand `json:"brands"`
		}
		f.Post("/sandbox/theme/v1/brands", body{"tenantIds": []any{demo.HeratGarden.Tenant, id.New[id.Tenant](), kabul.Tenant}}).Into(t, &got)
		by := map[id.Tenant]directory.Brand{}
		for _, b := range got.Brands {
			by[b.Tenant] = b
		}
		return by
	}
	before := ask()
	b := before[kabul.Tenant]
	if len(before) != 2 {
		t.Errorf("len(before) = %d, want 2", len(before))
	}
	if b.Primary != kabul.Theme.Tokens.Primary {
		t.Errorf("b.Primary = %q, want %q", b.Primary, kabul.Theme.Tokens.Primary)
	}
	if b.Name.Localized["ps-AF"] == "" {
		t.Error(`b.Name.Localized["ps-AF"] is empty`)
	}
	if b.LogoURL == "" {
		t.Error("b.LogoURL is empty")
	}
	if b.ThemeVersion != kabul.Theme.Published {
		t.Errorf("b.ThemeVersion = %v, want %v", b.ThemeVersion, kabul.Theme.Published)
	}
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	f.Post("/sandbox/theme/v1/tenants/"+kabul.Tenant.String()+"/theme/publish", body{"tokens": tokens})
	f.Send(http.MethodPatch, "/sandbox/tenant/v1/tenants/"+kabul.Tenant.String()+"/config", body{"brandName": "Kabul Palace"})
	b = ask()[kabul.Tenant]
	if b.Primary != tokens.Primary {
		t.Errorf("b.Primary = %q, want %q", b.Primary, tokens.Primary)
	}
	if b.Name.Default != "Kabul Palace" {
		t.Errorf(`b.Name.Default = %q, want "Kabul Palace"`, b.Name.Default)
	}
	if len(b.Name.Localized) != 0 {
		t.Errorf("len(b.Name.Localized) = %d, want 0", len(b.Name.Localized))
	}
}
