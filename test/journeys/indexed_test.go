package journeys

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// cityPage is a page of the hotels of a city, and where it came from.
type cityPage struct {
	Results []struct{ PropertyID id.Property }
	cache   string
}

// times returns how often the page shows a hotel.
func (p cityPage) times(hotel id.Property) (n int) {
	for _, r := range p.Results {
		if r.PropertyID == hotel {
			n++
		}
	}
	return n
}

// TestListingIndexed_wholeSystem adds a hotel of Kabul to the search index: the next search of the city shows it, while the page of
// Herat stays cached. This also holds if the message arrives twice, or after a search that did not find the hotel yet.
func TestListingIndexed_wholeSystem(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := system.On(t, db)
	hotel := demo.KabulGrand
	exec := func(sql string) {
		t.Helper()
		check.Got(db.Owner(t).Exec(t.Context(), sql, hotel.Property)).Must(t)
	}
	for _, table := range []string{"listing_rates", "listing_rooms", "listings"} {
		exec(`DELETE FROM sandbox.` + table + ` WHERE property_id = $1`)
	}
	v := s.Browser().AtAll()
	day := func(n int) string { return s.Env().Now().AddDate(0, 0, n).Format(time.DateOnly) }
	dates := map[string]any{"checkIn": day(7), "checkOut": day(9)}
	find := func(city string) (p cityPage) {
		t.Helper()
		a := v.Must(http.StatusOK, http.MethodPost, "/search", map[string]any{
			"geo": map[string]any{"mode": "city", "city": city}, "dates": dates, "occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1}})
		a.Into(t, &p)
		p.cache = a.Header.Get("X-Cache")
		return p
	}
	index := func() {
		t.Helper()
		s.Must(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/sandbox/search/v1/listings/" + hotel.Property.String() + "/index",
			Header: map[string]string{"X-Tenant-Id": hotel.Tenant.String()}})
		s.Settle()
	}
	deliverAgain := func() { s.PublishAgain("melmastoon.search_aggregation.listing.indexed.v1"); s.Settle() }
	began := s.Env().Now()
	if n := find("Kabul").times(hotel.Property); n != 0 {
		t.Fatalf("before: the hotel is shown %d times, want 0", n)
	}
	if len(find("Herat").Results) == 0 {
		t.Fatal("Herat has no hotels")
	}
	const renewed = 6 * time.Second // answers of a city are renewed every five seconds at most
	for _, step := range []struct {
		name string
		act  func()
	}{
		{"indexed", index},
		{"indexed again", index},
		{"the same message again", deliverAgain},
		{"the message after a search", func() {
			s.Advance(2 * time.Minute) // the cached page expires
			exec(`UPDATE sandbox.listings SET city_id = 'ae-abudhabi' WHERE property_id = $1`)
			if n := find("Kabul").times(hotel.Property); n != 0 {
				t.Fatalf("in another city: the hotel is shown %d times, want 0", n)
			}
			find("Herat")
			began = s.Env().Now()
			exec(`UPDATE sandbox.listings SET city_id = 'af-kabul' WHERE property_id = $1`)
			deliverAgain()
		}},
	} {
		step.act()
		s.Advance(renewed)
		if p := find("Kabul"); p.times(hotel.Property) != 1 || p.cache != "MISS" {
			t.Errorf("%s: shown %d times, X-Cache %s, want once and MISS", step.name, p.times(hotel.Property), p.cache)
		}
		if p := find("Kabul"); p.times(hotel.Property) != 1 || p.cache != "HIT" {
			t.Errorf("%s, second search: shown %d times, X-Cache %s, want once and HIT", step.name, p.times(hotel.Property), p.cache)
		}
		p := find("Herat")
		if within := s.Env().Now().Sub(began) < time.Minute; within && p.cache != "HIT" { // a page is fresh for a minute
			t.Errorf("%s: Herat: X-Cache %s, want HIT", step.name, p.cache)
		}
	}
}
