package sandbox_test

import (
	"net/http"
	"slices"
	"testing"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// asked is a search as travellers' pages send it.
func (w town) asked(change func(body)) body {
	b := body{"geo": body{"mode": "city", "city": "Kabul"}, "dates": body{"checkIn": w.today.AddDays(20), "checkOut": w.today.AddDays(23)},
		"occupancy": body{"adults": 2, "children": 0, "rooms": 1}, "sortKey": "recommended", "page": body{"limit": 20, "offset": 0}}
	if change != nil {
		change(b)
	}
	return b
}

type listed struct {
	Listings []sandbox.Listing `json:"listings"`
	Total    int               `json:"total"`
}

func TestHTTP_search(t *testing.T) {
	t.Parallel()
	w := inKabul(t)
	f := w.front(t)
	const path = "/sandbox/search/v1/searches"
	var got listed
	f.Post(path, w.asked(nil)).Into(t, &got)
	i := slices.IndexFunc(got.Listings, func(l sandbox.Listing) bool { return l.Property == kabul.Property })
	if got.Total != 8 || i < 0 {
		t.Fatalf("found %d", got.Total)
	}
	if l := got.Listings[i]; l.Name.Localized["ps-AF"] != kabul.Name.Localized["ps-AF"] || l.Thumbnail.URL == "" || l.GuestRating.Count != kabul.Rating.Count ||
		l.Country != "AF" || l.StarRating != 4 || len(l.Amenities) < 5 || l.DistanceKm == nil || l.Type != "hotel" || l.IndexedAt.IsZero() {
		t.Errorf("the listing is %+v", l)
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
		"nobody":                    func(b body) { b["occupancy"] = body{"adults": 0, "children": 2, "rooms": 1} },
		"more rooms than adults":    func(b body) { b["occupancy"] = body{"adults": 1, "children": 0, "rooms": 2} },
		"ages of other children": func(b body) {
			b["occupancy"] = body{"adults": 1, "children": 1, "rooms": 1, "childrenAges": []int{3, 4}}
		},
		"an order that is none":         func(b body) { b["sortKey"] = "cheapest" },
		"a page of two hundred and one": func(b body) { b["page"] = body{"limit": 201, "offset": 0} },
		"a price that runs backwards":   func(b body) { b["filters"] = body{"priceRange": body{"min": 9, "max": 8, "currency": "USD"}} },
		"a rating of six":               func(b body) { b["filters"] = body{"guestRatingMin": 6} },
		"a currency of nobody":          func(b body) { b["currency"] = "XXX" },
		"something that is not there":   func(b body) { b["filters"] = body{"stars": []int{5}} },
		"an unknown flexibility":        func(b body) { b["filters"] = body{"cancellationFlexibility": "maybe"} },
	} {
		if got := f.Post(path, w.asked(change)); got.Code() != "GENERAL.VALIDATION_FAILED" {
			t.Errorf("%s: %d %s", name, got.Status, got.Code())
		}
	}
	f.Post(path, w.asked(nil), "X-Sandbox-Scenario", "sold_out").Into(t, &got)
	if got.Total != 0 || got.Listings == nil || len(got.Listings) != 0 {
		t.Errorf("sold out: %+v", got)
	}
	if got := f.Post(path, w.asked(nil), "X-Sandbox-Scenario", "upstream_down"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("down: %d", got.Status)
	}
	if got := f.As("").Post(path, w.asked(nil)); got.Status != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", got.Status)
	}
}

func TestPins_mostPopular(t *testing.T) {
	t.Parallel()
	w := everywhere(t)
	f := w.front(t)
	ask := func(limit int, box body) (got struct {
		Pins      []sandbox.Pin `json:"pins"`
		Total     int           `json:"total"`
		Truncated bool          `json:"truncated"`
	}) {
		t.Helper()
		f.Post("/sandbox/search/v1/pins", body{"geo": body{"mode": "bounding-box", "boundingBox": box}, "limit": limit,
			"dates": body{"checkIn": w.today.AddDays(20), "checkOut": w.today.AddDays(23)}, "occupancy": body{"adults": 2, "children": 0, "rooms": 1}}).Into(t, &got)
		return got
	}
	earth := body{"swLat": -90, "swLng": -180, "neLat": 90, "neLng": 180}
	if got := ask(500, earth); len(got.Pins) != len(w.hotels) || got.Total != len(w.hotels) || got.Truncated {
		t.Errorf("the whole earth: %d of %d, truncated %t", len(got.Pins), got.Total, got.Truncated)
	}
	first := w.found(t, w.query(world), sandbox.Recommended)[0]
	if got := ask(3, earth); len(got.Pins) != 3 || got.Total != len(w.hotels) || !got.Truncated || got.Pins[0].Property != first.Property {
		t.Errorf("three of the earth: %+v", got)
	}
	// Over the date line: everything but a strip around Kabul.
	if got := ask(500, body{"swLat": 30, "swLng": 69.5, "neLat": 40, "neLng": 69}); got.Total == 0 || slices.ContainsFunc(got.Pins, func(p sandbox.Pin) bool {
		return p.Geo.Lng > 69 && p.Geo.Lng < 69.5 || p.Geo.Lat < 30
	}) {
		t.Errorf("over the date line: %+v", got)
	}
}

func TestPreview_agreesWithQuote(t *testing.T) {
	t.Parallel()
	w := inKabul(t)
	f := w.front(t)
	window := w.nights(20, 3)
	ask := func(currency string, headers ...string) (out struct {
		Previews []sandbox.Preview `json:"previews"`
	}) {
		t.Helper()
		f.Post("/sandbox/pricing/v1/previews", body{"propertyIds": []any{demo.HeratGarden.Property, id.New[id.Property](), kabul.Property}, "currency": currency,
			"stayWindow": window, "occupancy": body{"adults": 3, "children": 1, "rooms": 2}}, headers...).Into(t, &out)
		return out
	}
	got := ask("USD").Previews
	if len(got) != 2 || got[0].Property != demo.HeratGarden.Property || got[1].Tenant != kabul.Tenant || got[1].FX.IsZero() || got[1].CapturedAt.IsZero() {
		t.Fatalf("previews %+v", got)
	}
	for i, hotel := range []demo.Hotel{demo.HeratGarden, kabul} {
		var all compared
		f.Get("/sandbox/pricing/v1/cheapest?tenantId="+hotel.Tenant.String()+"&propertyId="+hotel.Property.String()+"&start="+window.Start.String()+
			"&end="+window.End.String()+"&currency=USD&adults=3&children=1&rooms=2").Into(t, &all)
		if best := all.RoomTypes[0]; got[i].RoomType != best.RoomType || got[i].RatePlan != best.Cheapest || got[i].Total != best.Rates[0].Total || got[i].Nightly != best.Rates[0].Nightly {
			t.Errorf("%s: previewed %+v, compared %+v", hotel.Slug, got[i], best)
		}
	}
	if dear := ask("USD", "X-Sandbox-Scenario", "price_changed").Previews; dear[0].Total <= got[0].Total {
		t.Errorf("after prices have changed: %d, before: %d", dear[0].Total, got[0].Total)
	}
	if in := ask("GBP").Previews; len(in) != 2 || in[1].Currency != "GBP" {
		t.Errorf("in a currency that is only shown: %+v", in)
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
	w := inKabul(t)
	f := w.front(t)
	var got struct {
		Days []sandbox.DayPrice `json:"days"`
	}
	path := "/sandbox/pricing/v1/calendar?propertyId=" + kabul.Property.String() + "&from=" + w.today.AddDays(20).String() + "&days=7&currency=AFN"
	f.Get(path).Into(t, &got)
	standard := kabul.Rooms[0]
	if len(got.Days) != 7 || got.Days[0].Date != w.today.AddDays(20) {
		t.Fatalf("days %+v", got.Days)
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
	if len(got.Days) != 6 || got.Days[2].Date != w.today.AddDays(23) || got.Days[2].Cheapest < kabul.Rooms[1].Saver.Quiet {
		t.Errorf("with a full night and one without standard rooms: %+v", got.Days)
	}
	if got := f.Get("/sandbox/pricing/v1/calendar?propertyId=" + id.New[id.Property]().String() + "&from=2027-01-01&days=7&currency=AFN"); got.Status != http.StatusNotFound {
		t.Errorf("an unknown hotel: %d", got.Status)
	}
}

func TestBrands(t *testing.T) {
	t.Parallel()
	w := inKabul(t)
	f := w.front(t)
	ask := func() map[id.Tenant]sandbox.Brand {
		t.Helper()
		var got struct {
			Brands []sandbox.Brand `json:"brands"`
		}
		f.Post("/sandbox/theme/v1/brands", body{"tenantIds": []any{demo.HeratGarden.Tenant, id.New[id.Tenant](), kabul.Tenant}}).Into(t, &got)
		by := map[id.Tenant]sandbox.Brand{}
		for _, b := range got.Brands {
			by[b.Tenant] = b
		}
		return by
	}
	before := ask()
	if b := before[kabul.Tenant]; len(before) != 2 || b.Primary != kabul.Theme.Tokens.Primary || b.Name.Localized["ps-AF"] == "" || b.LogoURL == "" || b.ThemeVersion != kabul.Theme.Published {
		t.Errorf("brands %+v", before)
	}
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	f.Post("/sandbox/theme/v1/tenants/"+kabul.Tenant.String()+"/theme/publish", body{"tokens": tokens})
	f.Send(http.MethodPatch, "/sandbox/tenant/v1/tenants/"+kabul.Tenant.String()+"/config", body{"brandName": "Kabul Palace"})
	if b := ask()[kabul.Tenant]; b.Primary != tokens.Primary || b.Name.Default != "Kabul Palace" || len(b.Name.Localized) != 0 {
		t.Errorf("after it has changed its look and its name: %+v", b)
	}
}
