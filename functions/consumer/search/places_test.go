package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
)

// Two visitors 300 m apart share what was found, and each is published their own distances. Where exactly they are is kept nowhere.
func TestSearch_point(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 5, Function)
	near := func(lat, page string) string {
		return system.SearchBodyIn(`{"mode":"point","point":{"lat":`+lat+`,"lng":69.10321357,"radiusKm":20}}`, `,"sortKey":"distance-asc"`, page)
	}
	one, other := system.Traveller(), system.Traveller()
	first, _ := post(t, one, near("34.53121357", ""))
	second, a := post(t, other, near("34.53391357", ""))
	n := system.Calls("searches")
	if n != 1 {
		t.Errorf("calls of the search service = %d, want 1", n)
	}
	if a.Header.Get("X-Cache") != "HIT" {
		t.Errorf(`a.Header.Get("X-Cache") = %q, want "HIT"`, a.Header.Get("X-Cache"))
	}
	for name, test := range map[string]struct {
		cards []search.ListingCard
		want  []float64
	}{
		"one":   {first.Results, []float64{3.5, 2.4, 1.3, 0.3, 1}},
		"other": {second.Results, []float64{3.8, 2.7, 1.6, 0.5, 0.7}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []float64
			var order []id.Property
			for _, card := range test.cards {
				got, order = append(got, *card.DistanceKm), append(order, card.Property)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v km, want %v", got, test.want)
			}
			for i, property := range order { // as the search service has put them
				if property != system.Hotels[i].Property {
					t.Errorf("%s is at place %d", property, i)
				}
			}
		})
	}
	next, _ := post(t, one, near("34.53121357", `,"page":{"limit":2,"offset":3}`))
	if len(next.Results) != 2 {
		t.Fatalf("the last page: len(next.Results) = %d, want 2", len(next.Results))
	}
	if *next.Results[0].DistanceKm != 0.3 {
		t.Errorf("the last page: *next.Results[0].DistanceKm = %v, want 0.3", *next.Results[0].DistanceKm)
	}
	if next.Search != first.Search {
		t.Errorf("the last page: next.Search = %v, want %v", next.Search, first.Search)
	}
	want := search.Circle{Lat: 34.53, Lng: 69.1, RadiusKm: 20}
	kept := one.StoredSession().SearchHistory
	if len(kept) != 1 {
		t.Fatalf("len(kept) = %d, want 1", len(kept))
	}
	if *kept[0].Geo.Point != want {
		t.Errorf("*kept[0].Geo.Point = %+v, want %+v", *kept[0].Geo.Point, want)
	}
	texts := consumertest.Texts(t, system.DB)
	for _, route := range []string{"searches", "previews", "brands"} {
		texts[route] = system.Body(route)
	}
	for where, text := range texts {
		for _, digits := range []string{"21357", "391357"} {
			t.Run(digits, func(t *testing.T) {
				if strings.Contains(text, digits) {
					t.Errorf("%s contains the digits %s of an exact point", where, digits)
				}
			})
		}
	}
	if !strings.Contains(texts["searches"], fmt.Sprintf(`"lat":%v,"lng":%v`, want.Lat, want.Lng)) {
		t.Errorf("the search service was asked for %s", texts["searches"])
	}
}

func TestSearch_longNames(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	for length, status := range map[int]int{80: 200, 81: 400} {
		name := strings.Repeat("ش", length)
		v.Must(status, "POST", "/search", system.SearchBodyIn(`{"mode":"region","region":"`+name+`"}`))
		v.Must(status, "POST", "/search", system.SearchBody(`,"filters":{"neighbourhoods":["`+name+`"]}`))
	}
}

// The search service ignores the case of names and the spaces around them, so these searches share what was found.
func TestSearch_spellings(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function)
	body := func(city, neighbourhoods string) string {
		return system.SearchBodyIn(`{"mode":"city","city":"`+city+`"}`, `,"filters":{"neighbourhoods":[`+neighbourhoods+`]}`)
	}
	for i, same := range []string{body("Kabul", `"Shahr-e Naw","Karte 4"`), body(" kabul  ", `"karte 4","SHAHR-E NAW"`), body("KABUL", `"Karte 4 ","shahr-e  naw"`)} {
		t.Run(same, func(t *testing.T) {
			_, a := post(t, system.Traveller(), same)
			if want := map[bool]string{true: "MISS", false: "HIT"}[i == 0]; a.Header.Get("X-Cache") != want {
				t.Errorf("spelling %d: X-Cache = %q, want %q", i, a.Header.Get("X-Cache"), want)
			}
		})
	}
	if _, a := post(t, system.Traveller(), body("Kabul", `"Karte 3"`)); a.Header.Get("X-Cache") != "MISS" {
		t.Errorf(`another neighbourhood: X-Cache = %q, want "MISS"`, a.Header.Get("X-Cache"))
	}
	if n := system.Calls("searches"); n != 2 {
		t.Errorf("calls of the search service = %d, want 2", n)
	}
}
