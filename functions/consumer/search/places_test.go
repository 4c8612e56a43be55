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

// Two visitors 300 m apart share what was found, and each is told their own distances. Where exactly they are is kept nowhere.
func TestSearch_point(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 5, Function)
	near := func(lat, page string) string {
		return market.SearchBodyIn(`{"mode":"point","point":{"lat":`+lat+`,"lng":69.10321357,"radiusKm":20}}`, `,"sortKey":"distance-asc"`, page)
	}
	one, other := market.Traveller(), market.Traveller()
	first, _ := look(t, one, near("34.53121357", ""))
	second, a := look(t, other, near("34.53391357", ""))
	if n := market.Asked("searches"); n != 1 || a.Header.Get("X-Cache") != "HIT" {
		t.Errorf("the search service was asked %d times, %s", n, a.Header.Get("X-Cache"))
	}
	for name, test := range map[string]struct {
		cards []search.ListingCard
		want  []float64
	}{
		"one":   {first.Results, []float64{3.5, 2.4, 1.3, 0.3, 1}},
		"other": {second.Results, []float64{3.8, 2.7, 1.6, 0.5, 0.7}},
	} {
		var got []float64
		var order []id.Property
		for _, card := range test.cards {
			got, order = append(got, *card.DistanceKm), append(order, card.Property)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v km, want %v", name, got, test.want)
		}
		for i, property := range order { // as the search service has put them
			if property != market.Hotels[i].Property {
				t.Errorf("%s: %s is at place %d", name, property, i)
			}
		}
	}
	if next, _ := look(t, one, near("34.53121357", `,"page":{"limit":2,"offset":3}`)); len(next.Results) != 2 || *next.Results[0].DistanceKm != 0.3 || next.Search != first.Search {
		t.Errorf("the last page: %+v", next)
	}
	want := search.Circle{Lat: 34.53, Lng: 69.1, RadiusKm: 20}
	if kept := one.StoredSession().SearchHistory; len(kept) != 1 || *kept[0].Geo.Point != want {
		t.Errorf("remembered %+v", kept)
	}
	texts := consumertest.Texts(t, market.DB)
	for _, stall := range []string{"searches", "previews", "brands"} {
		texts[stall] = market.Body(stall)
	}
	for where, text := range texts {
		if strings.Contains(text, "21357") || strings.Contains(text, "391357") {
			t.Errorf("an exact point is in %s", where)
		}
	}
	if !strings.Contains(texts["searches"], fmt.Sprintf(`"lat":%v,"lng":%v`, want.Lat, want.Lng)) {
		t.Errorf("the search service was asked for %s", texts["searches"])
	}
}

func TestSearch_longNames(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	for length, status := range map[int]int{80: 200, 81: 400} {
		name := strings.Repeat("ش", length)
		v.Must(status, "POST", "/search", market.SearchBodyIn(`{"mode":"region","region":"`+name+`"}`))
		v.Must(status, "POST", "/search", market.SearchBody(`,"filters":{"neighbourhoods":["`+name+`"]}`))
	}
}
