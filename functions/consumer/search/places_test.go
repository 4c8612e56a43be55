package search

import (
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Equal(t, n, 1, "calls of the search service")
	check.Equal(t, a.Header.Get("X-Cache"), "HIT")
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
			check.Equal(t, got, test.want, "km")
			for i, property := range order { // as the search service has put them
				check.Equal(t, property, system.Hotels[i].Property, "hotel at place %d", i)
			}
		})
	}
	next, _ := post(t, one, near("34.53121357", `,"page":{"limit":2,"offset":3}`))
	check.MustEqual(t, len(next.Results), 2, "the last page")
	check.Equal(t, *next.Results[0].DistanceKm, 0.3, "the last page")
	check.Equal(t, next.Search, first.Search, "the last page")
	want := search.Circle{Lat: 34.53, Lng: 69.1, RadiusKm: 20}
	kept := one.StoredSession().SearchHistory
	check.MustEqual(t, len(kept), 1)
	check.Equal(t, *kept[0].Geo.Point, want)
	texts := consumertest.Texts(t, system.DB)
	for _, route := range []string{"searches", "previews", "brands"} {
		texts[route] = system.Body(route)
	}
	for _, text := range texts {
		for _, digits := range []string{"21357", "391357"} {
			t.Run(digits, func(t *testing.T) {
				check.Lacks(t, text, digits)
			})
		}
	}
	check.Contains(t, texts["searches"], fmt.Sprintf(`"lat":%v,"lng":%v`, want.Lat, want.Lng))
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
			check.Equal(t, a.Header.Get("X-Cache"), map[bool]string{true: "MISS", false: "HIT"}[i == 0], "spelling %d: X-Cache", i)
		})
	}
	if _, a := post(t, system.Traveller(), body("Kabul", `"Karte 3"`)); a.Header.Get("X-Cache") != "MISS" {
		t.Errorf(`another neighbourhood: X-Cache = %q, want "MISS"`, a.Header.Get("X-Cache"))
	}
	check.Equal(t, system.Calls("searches"), 2, "calls of the search service")
}
