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
	"melmastoon.ghasi.io/shared/platform/cache"
)

// A traveller pages for ten minutes, while clicks change the rank of hotels, hotels are indexed, others search, and processes
// begin anew.
func TestPages_oneOrder(t *testing.T) {
	t.Parallel()
	const limit, hotels, first = 30, 240, 200
	market := consumertest.OpenSystem(t, hotels, Function, listingindexed.Function)
	v, shown, searches := market.Traveller(), map[id.Property]int{}, 0
	body := func(offset int) string {
		return market.SearchBody(fmt.Sprintf(`,"page":{"limit":%d,"offset":%d}`, limit, offset))
	}
	for offset := 0; offset < hotels; offset += limit {
		before := market.Asked("searches")
		got, _ := look(t, v, body(offset))
		if n := market.Asked("searches") - before; offset > 0 && offset+limit <= first && n != 0 {
			t.Errorf("offset %d: the search service was asked %d times", offset, n)
		}
		if got.Page.Total != hotels || len(got.Results) < min(limit, first-offset) {
			t.Errorf("offset %d: %d hotels of %d", offset, len(got.Results), got.Page.Total)
		}
		for _, card := range got.Results {
			shown[card.Property]++
		}
		searches++
		var moved searchtest.Hotel
		market.Do(func() { // the last of the result goes to the top, the first of all to its end
			moved = market.Hotels[first-1]
			market.Hotels = slices.Insert(slices.Delete(market.Hotels, first-1, first), 0, moved)
		})
		now := market.Env.Now()
		market.Deliver(listingindexed.Function, moved.Tenant,
			map[string]any{"tenantId": moved.Tenant, "propertyId": moved.Property, "indexedAt": now, "geoCell": "h3:8a283082aa67fff"}, now)
		look(t, market.Traveller(), body(0))
		if offset%2 == 0 {
			cache.Forget(market.Env)
		}
		market.DB.Advance(10 * time.Minute / (first / limit))
	}
	for property, times := range shown {
		if times != 1 {
			t.Errorf("%s was shown %d times", property, times)
		}
	}
	if len(shown) < first {
		t.Errorf("%d hotels were shown", len(shown))
	}
}

// Without a search session a further page is cut from the present result; so it is when the result is no longer kept, in another
// order, and for a first page.
func TestPages_anew(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 40, Function)
	body := func(offset int, more string) string {
		return market.SearchBody(fmt.Sprintf(`,"page":{"limit":20,"offset":%d}%s`, offset, more))
	}
	v := market.Traveller()
	for _, test := range []struct {
		name    string
		by      *consumertest.Traveller
		body    string
		later   time.Duration
		present bool // whether the page is of the present result
	}{
		{"first page", v, body(0, ""), 0, true},
		{"further page", v, body(20, ""), 2 * time.Minute, false},
		{"another visitor", market.Traveller(), body(20, ""), 0, true},
		{"another order", v, body(20, `,"sortKey":"price-asc"`), 0, true},
		{"first page again", v, body(0, ""), 0, true},
		{"further page of that", v, body(20, ""), 2 * time.Minute, false},
		{"too late", v, body(20, ""), 15 * time.Minute, true},
	} {
		market.DB.Advance(test.later)
		market.Do(func() { slices.Reverse(market.Hotels) })
		if test.present {
			market.DB.Advance(61 * time.Second) // the list is found anew
		}
		before := market.Asked("searches")
		look(t, test.by, test.body)
		if asked := market.Asked("searches") > before; asked != test.present {
			t.Errorf("%s: the search service was asked: %v", test.name, asked)
		}
	}
}
