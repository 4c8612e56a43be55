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
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
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
	got := fntest.Read[listed](t, f.Post(path, w.asked(nil)))
	i := slices.IndexFunc(got.Listings, func(l search.Listing) bool { return l.Property == kabul.Property })
	check.MustEqual(t, got.Total, 8)
	if i < 0 {
		t.Fatalf("i = %d, want at least 0", i)
	}
	l := got.Listings[i]
	check.Equal(t, l.Name.Localized["ps-AF"], kabul.Name.Localized["ps-AF"])
	check.NotEqual(t, l.Thumbnail.URL, "")
	check.Equal(t, l.GuestRating.Count, kabul.Rating.Count)
	check.Equal(t, l.Country, "AF")
	check.Equal(t, l.StarRating, 4)
	if len(l.Amenities) < 5 {
		t.Errorf("len(l.Amenities) = %d, want at least 5", len(l.Amenities))
	}
	check.NotEqual(t, l.DistanceKm, nil)
	check.Equal(t, l.Type, "hotel")
	check.Equal(t, l.IndexedAt.IsZero(), false)
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
			check.Equal(t, f.Post(path, w.asked(change)).Code(), "GENERAL.VALIDATION_FAILED")
		})
	}
	f.Post(path, w.asked(nil), "X-Sandbox-Scenario", "sold_out").Into(t, &got)
	check.Equal(t, got.Total, 0, "sold out")
	check.NotEqual(t, got.Listings, nil, "sold out")
	check.Equal(t, len(got.Listings), 0, "sold out")
	f.Post(path, w.asked(nil), "X-Sandbox-Scenario", "upstream_down").Want(t, http.StatusServiceUnavailable)
	f.As("").Post(path, w.asked(nil)).Want(t, http.StatusUnauthorized)
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
	check.MustEqual(t, len(got), 2)
	check.MustEqual(t, got[0].Property, demo.HeratGarden.Property)
	check.MustEqual(t, got[1].Tenant, kabul.Tenant)
	check.MustEqual(t, got[1].FX.IsZero(), false)
	check.MustEqual(t, got[1].CapturedAt.IsZero(), false)
	for i, hotel := range []demo.Hotel{demo.HeratGarden, kabul} {
		t.Run(hotel.Slug, func(t *testing.T) {
			var all compared
			f.Get("/sandbox/pricing/v1/cheapest?tenantId="+hotel.Tenant.String()+"&propertyId="+hotel.Property.String()+"&start="+window.Start.String()+
				"&end="+window.End.String()+"&currency=USD&adults=3&children=1&rooms=2").Into(t, &all)
			best := all.RoomTypes[0]
			check.Equal(t, got[i].RoomType, best.RoomType)
			check.Equal(t, got[i].RatePlan, best.Cheapest)
			check.Equal(t, got[i].Total, best.Rates[0].Total)
			check.Equal(t, got[i].Nightly, best.Rates[0].Nightly)
		})
	}
	if dear := ask("USD", "X-Sandbox-Scenario", "price_changed").Previews; dear[0].Total <= got[0].Total {
		t.Errorf("after prices have changed: %d, before: %d", dear[0].Total, got[0].Total)
	}
	in := ask("GBP").Previews
	check.MustEqual(t, len(in), 2)
	check.Equal(t, in[1].Currency, "GBP")
	check.Equal(t, len(ask("USD", "X-Sandbox-Scenario", "sold_out").Previews), 0, "sold out")
	past := w.nights(-3, 2)
	window = stay.Window{Start: past.Start, End: past.End}
	check.Equal(t, len(ask("USD").Previews), 0, "of nights that are over")
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
	check.MustEqual(t, len(got.Days), 7)
	check.MustEqual(t, got.Days[0].Date, w.today.AddDays(20))
	for _, d := range got.Days {
		want := standard.Saver.Quiet
		if weekday := d.Date.Time().Weekday(); weekday >= 4 {
			want = standard.Saver.Busy
		}
		check.Equal(t, d.Cheapest, want, "%s", d.Date.String())
	}
	for _, room := range kabul.Rooms {
		w.takes(t, kabul, room, w.nights(22, 1), room.Units)
	}
	w.takes(t, kabul, standard, w.nights(23, 1), standard.Units)
	f.Get(path).Into(t, &got)
	check.MustEqual(t, len(got.Days), 6)
	check.Equal(t, got.Days[2].Date, w.today.AddDays(23))
	if got.Days[2].Cheapest < kabul.Rooms[1].Saver.Quiet {
		t.Errorf("got.Days[2].Cheapest = %d, want at least %d", got.Days[2].Cheapest, kabul.Rooms[1].Saver.Quiet)
	}
	f.Get("/sandbox/pricing/v1/calendar?propertyId="+id.New[id.Property]().String()+"&from=2027-01-01&days=7&currency=AFN").Want(t, http.StatusNotFound)
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
	check.Equal(t, len(before), 2)
	check.Equal(t, b.Primary, kabul.Theme.Tokens.Primary)
	check.NotEqual(t, b.Name.Localized["ps-AF"], "")
	check.NotEqual(t, b.LogoURL, "")
	check.Equal(t, b.ThemeVersion, kabul.Theme.Published)
	tokens := kabul.Theme.Tokens
	tokens.Primary = "#004d40"
	f.Post("/sandbox/theme/v1/tenants/"+kabul.Tenant.String()+"/theme/publish", body{"tokens": tokens})
	f.Send(http.MethodPatch, "/sandbox/tenant/v1/tenants/"+kabul.Tenant.String()+"/config", body{"brandName": "Kabul Palace"})
	b = ask()[kabul.Tenant]
	check.Equal(t, b.Primary, tokens.Primary)
	check.Equal(t, b.Name.Default, "Kabul Palace")
	check.Equal(t, len(b.Name.Localized), 0)
}
