package search

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A traveller pages for ten minutes, while clicks change the rank of hotels, hotels are indexed, others search, and processes
// begin anew.
func TestPages_oneOrder(t *testing.T) {
	t.Parallel()
	const limit, hotels, first = 30, 240, 200
	system := consumertest.OpenSystem(t, hotels, Function, listingindexed.Function)
	v, shown, searches := system.Traveller(), map[id.Property]int{}, 0
	body := func(offset int) string {
		return system.SearchBody(fmt.Sprintf(`,"page":{"limit":%d,"offset":%d}`, limit, offset))
	}
	for offset := 0; offset < hotels; offset += limit {
		before := system.Calls("searches")
		got, _ := post(t, v, body(offset))
		if n := system.Calls("searches") - before; offset > 0 && offset+limit <= first && n != 0 {
			t.Errorf("offset %d: the search service was asked %d times", offset, n)
		}
		check.Equal(t, got.Page.Total, hotels)
		if len(got.Results) < min(limit, first-offset) {
			t.Errorf("len(got.Results) = %d, want at least %d", len(got.Results), min(limit, first-offset))
		}
		for _, card := range got.Results {
			shown[card.Property]++
		}
		searches++
		var moved searchtest.Hotel
		system.Do(func() { // the last of the result goes to the top, the first of all to its end
			moved = system.Hotels[first-1]
			system.Hotels = slices.Insert(slices.Delete(system.Hotels, first-1, first), 0, moved)
		})
		now := system.Env.Now()
		system.Deliver(listingindexed.Function, moved.Tenant,
			map[string]any{"tenantId": moved.Tenant, "propertyId": moved.Property, "indexedAt": now, "geoCell": "h3:8a283082aa67fff"}, now)
		post(t, system.Traveller(), body(0))
		if offset%2 == 0 {
			system.Memory.Empty()
		}
		system.DB.Advance(10 * time.Minute / (first / limit))
	}
	for property, times := range shown {
		check.Equal(t, times, 1, "times that %s was shown", property)
	}
	if len(shown) < first {
		t.Errorf("%d hotels were shown", len(shown))
	}
}

// Without a search session a further page is cut from the present result; so it is when the result is no longer kept, in another
// order, and for a first page.
// A traveller who changes the sort order and back continues in each order where they were.
func TestPages_sortedAndBack(t *testing.T) {
	t.Parallel()
	const hotels = 30
	system := consumertest.OpenSystem(t, hotels, Function)
	v, shown := system.Traveller(), map[string]map[id.Property]bool{}
	page := func(sort string, offset int) {
		got, _ := post(t, v, system.SearchBody(fmt.Sprintf(`,"sortKey":%q,"page":{"limit":10,"offset":%d}`, sort, offset)))
		if shown[sort] == nil {
			shown[sort] = map[id.Property]bool{}
		}
		for _, card := range got.Results {
			if shown[sort][card.Property] {
				t.Errorf("%s, offset %d: %s is shown again", sort, offset, card.Name.Default)
			}
			shown[sort][card.Property] = true
		}
		system.Do(func() { // the last hotel of the result goes to the top
			system.Hotels = slices.Insert(system.Hotels[:hotels-1], 0, system.Hotels[hotels-1])
		})
		system.DB.Advance(time.Minute)
	}
	for offset := 0; offset < hotels; offset += 10 {
		page("recommended", offset)
		page("price-asc", offset)
	}
	for sort, all := range shown {
		check.Equal(t, len(all), hotels, "%s: hotels", sort)
	}
}

func TestPages_anew(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 40, Function)
	body := func(offset int, more string) string {
		return system.SearchBody(fmt.Sprintf(`,"page":{"limit":20,"offset":%d}%s`, offset, more))
	}
	v := system.Traveller()
	for _, test := range []struct {
		name    string
		by      *consumertest.Traveller
		body    string
		later   time.Duration
		present bool // whether the page is of the present result
	}{
		{"first page", v, body(0, ""), 0, true},
		{"further page", v, body(20, ""), 2 * time.Minute, false},
		{"another visitor", system.Traveller(), body(20, ""), 0, true},
		{"another order", v, body(20, `,"sortKey":"price-asc"`), 0, true},
		{"first page again", v, body(0, ""), 0, true},
		{"further page again", v, body(20, ""), 2 * time.Minute, false},
		{"too late", v, body(20, ""), 15 * time.Minute, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			system.DB.Advance(test.later)
			system.Do(func() { slices.Reverse(system.Hotels) })
			if test.present {
				system.DB.Advance(61 * time.Second) // the list is found anew
			}
			before := system.Calls("searches")
			post(t, test.by, test.body)
			check.Equal(t, system.Calls("searches") > before, test.present, "calls of the search service")
		})
	}
}
