package consumer_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/listwishes"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

func openCards(t *testing.T, hotels int) *consumertest.System {
	t.Helper()
	return consumertest.OpenSystem(t, hotels, addwish.Function, listwishes.Function, readsession.Function, readhotel.Function, tenantsuspended.Function)
}

// expanded reads the wishlist with cards, newest first.
func expanded(t *testing.T, v *consumertest.Traveller) (r listwishes.Response) {
	t.Helper()
	v.Must(200, "GET", "/wishlist?expand=card", nil).Into(t, &r)
	for _, w := range r.Wishes {
		check.MustNotEqual(t, w.Carded, nil, "the wish for %s has no member card", w.Property)
	}
	return r
}

// checkNewCalls fails the test unless the services got these numbers of requests, and no others, since the last check.
func checkNewCalls(t *testing.T, system *consumertest.System, before, want map[string]int) {
	t.Helper()
	all := system.AllCalls()
	for name, total := range all {
		check.Equal(t, total-before[name], want[name], "%s: new calls", name)
	}
	for name, n := range want {
		if all[name] == 0 && n > 0 {
			t.Errorf("%s: no calls, want %d", name, n)
		}
	}
	maps.Copy(before, all)
}

func TestWishlist_cards(t *testing.T) {
	t.Parallel()
	system := openCards(t, 3)
	v := system.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	for _, h := range system.Hotels[:2] {
		v.Must(201, "POST", "/wishlist", wishBody(h.Property, ""))
	}
	before := map[string]int{}
	checkNewCalls(t, system, before, map[string]int{"properties": 2, "tenants": 2})
	if plain := v.Must(200, "GET", "/wishlist", nil); strings.Contains(string(plain.Body), "card\"") || strings.Contains(string(plain.Body), "degraded") {
		t.Errorf("without expand: %s", plain.Body)
	}
	checkNewCalls(t, system, before, nil)
	got := expanded(t, v)
	check.MustEqual(t, len(got.Wishes), 2)
	if got.Stale || got.Degraded != nil {
		t.Fatalf("stale %t, degraded %q; want complete cards", got.Stale, got.Degraded)
	}
	for i, hotel := range []int{1, 0} {
		t.Run(fmt.Sprint(hotel), func(t *testing.T) {
			card := got.Wishes[i].Card
			check.MustNotEqual(t, card, nil, "card %d", i)
			check.Equal(t, card.Property, system.Hotels[hotel].Property)
			check.Equal(t, card.Property, got.Wishes[i].Property)
			check.Equal(t, card.Brand.Color, "#1a2b3c", "card %d", i)
			check.MustNotEqual(t, card.Rate, nil, "rate of card %d", i)
			check.Equal(t, card.Rate.Nightly, 5000)
			check.Equal(t, card.Rate.Policy, search.VisitorCurrency)
		})
	}
	check.Equal(t, got.Wishes[0].Card.Name.Display, "هوټل 1")
	checkNewCalls(t, system, before, map[string]int{"listings": 1, "previews": 1, "brands": 1})
	expanded(t, v)
	checkNewCalls(t, system, before, nil) // a minute has not passed
	for _, query := range []string{"?expand=cards", "?expand=", "?expand=card&expand=card", "?expand=CARD"} {
		t.Run(query, func(t *testing.T) {
			for _, path := range []string{"/wishlist", "/session"} {
				t.Run(path, func(t *testing.T) {
					a := v.Must(400, "GET", path+query, nil)
					if wrong := a.Problem().Violations; len(wrong) != 1 || wrong[0].Pointer != "/expand" {
						t.Errorf("%s%s: violations %+v, want one of /expand", path, query, wrong)
					}
				})
			}
		})
	}
}

func TestWishlist_cardsOfGoneHotels(t *testing.T) {
	t.Parallel()
	system := openCards(t, 4)
	v := system.Traveller()
	for _, h := range system.Hotels {
		v.Must(201, "POST", "/wishlist", wishBody(h.Property, ""))
	}
	expanded(t, v)
	gone := system.Hotels[0].Property
	system.Do(func() {
		system.Hotels[1].Suspended = true // the search service knows
		system.Hotels = system.Hotels[1:]
	})
	system.DB.Advance(time.Minute)
	now, closed := system.Env.Now(), system.Hotels[1].Tenant // the search service does not know yet
	system.Deliver(tenantsuspended.Function, closed, map[string]any{"tenantId": closed, "reason": "unpaid", "suspendedAt": now}, now)
	cards := map[id.Property]bool{}
	for _, w := range expanded(t, v).Wishes {
		cards[w.Property] = w.Card != nil
	}
	want := map[id.Property]bool{gone: false, system.Hotels[0].Property: false, system.Hotels[1].Property: false, system.Hotels[2].Property: true}
	for p, has := range want {
		if got, listed := cards[p]; !listed || got != has {
			t.Errorf("%s: on the list %t with a card %t, want true and %t", p, listed, got, has)
		}
	}
}

func TestWishlist_cardsDegraded(t *testing.T) {
	t.Parallel()
	system := openCards(t, 2)
	v := system.Traveller()
	v.Must(201, "POST", "/wishlist", wishBody(system.Hotels[0].Property, ""))
	system.SetBehavior("listings", upstreamtest.Failing)
	got := expanded(t, v)
	check.MustEqual(t, len(got.Wishes), 1, "without the search service: wishes")
	if got.Wishes[0].Card != nil || !slices.Equal(got.Degraded, []string{"search"}) {
		t.Errorf("without the search service: card %+v, degraded %q; want none and search", got.Wishes[0].Card, got.Degraded)
	}
	system.SetBehavior("listings", upstreamtest.Working)
	system.SetBehavior("previews", upstreamtest.Failing)
	system.SetBehavior("brands", upstreamtest.Failing)
	system.DB.Advance(5 * time.Second)
	got = expanded(t, v)
	card := got.Wishes[0].Card
	check.MustNotEqual(t, card, nil, "without prices and brands: no card")
	if card.Rate != nil || card.Brand.Color != "#5b6470" {
		t.Errorf("without prices and brands: card %+v, want one without a price and with a neutral brand", card)
	}
	check.Equal(t, got.Degraded, []string{"theme", "pricing"})
	system.DB.Advance(time.Minute)
	system.SetBehavior("listings", upstreamtest.Failing)
	if got = expanded(t, v); !got.Stale || got.Wishes[0].Card == nil {
		t.Errorf("a minute later without the search service: stale %t with the card %v, want the old card", got.Stale, got.Wishes[0].Card)
	}
}

func TestSession_cards(t *testing.T) {
	t.Parallel()
	system := openCards(t, 3)
	v := system.Traveller("X-Currency", "USD")
	v.Must(201, "POST", "/wishlist", wishBody(system.Hotels[0].Property, ""))
	v.Must(200, "GET", "/hotels/"+system.Hotels[0].Property.String(), nil)
	v.Must(200, "GET", "/hotels/"+system.Hotels[1].Property.String(), nil)
	before := map[string]int{}
	for _, name := range []string{"listings", "previews", "brands", "calendar", "similar", "popularity", "properties", "policies", "tenants"} {
		before[name] = system.Calls(name)
	}
	check.Lacks(t, string(v.Must(200, "GET", "/session", nil).Body), `"card"`)
	checkNewCalls(t, system, before, nil)
	got := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session?expand=card", nil))
	checkNewCalls(t, system, before, map[string]int{"listings": 1, "previews": 1}) // the brands are in memory
	check.MustEqual(t, len(got.Wishlist), 1)
	if got.Wishlist[0].Carded == nil || got.Wishlist[0].Card == nil {
		t.Fatalf("got.Wishlist[0] = %+v, want the hotel with its card", got.Wishlist[0])
	}
	check.MustEqual(t, len(got.RecentlyViewed), 2)
	for i, hotel := range []int{1, 0} {
		t.Run(fmt.Sprint(hotel), func(t *testing.T) {
			seen := got.RecentlyViewed[i]
			if seen.Carded == nil || seen.Card == nil {
				t.Fatalf("got.RecentlyViewed[%d] = %+v, want a card", i, seen)
			}
			if seen.Card.Property != system.Hotels[hotel].Property || seen.Card.Rate == nil {
				t.Errorf("got.RecentlyViewed[%d] = %+v, want the card of hotel %d with a price", i, seen, hotel)
			}
		})
	}
	stranger := system.Traveller()
	other := fntest.Read[readsession.Response](t, stranger.Must(200, "GET", "/session?expand=card", nil))
	check.Equal(t, len(other.Wishlist)+len(other.RecentlyViewed), 0, "wishes and hotels of another visitor")
}

// The largest session, of a full wishlist and as many other viewed hotels as are kept, is composed with one call to each service.
func TestSession_mostCards(t *testing.T) {
	t.Parallel()
	system := openCards(t, 150)
	v := system.Traveller()
	v.Must(201, "POST", "/wishlist", wishBody(system.Hotels[0].Property, "")) // starts the session
	var wishes [][]any
	for _, h := range system.Hotels[1:100] {
		wishes = append(wishes, []any{id.New[id.Wish](), v.Session, h.Property, h.Tenant, system.Env.Now(), "list"})
	}
	_, err := system.DB.Owner(t).CopyFrom(t.Context(), pgx.Identifier{"bff_consumer", "wishlist"},
		[]string{"wishlist_id", "guest_session_id", "property_id", "tenant_id", "added_at", "source"}, pgx.CopyFromRows(wishes))
	check.Must(t, err)
	_, err = system.Sessions().Change(t.Context(), v.Session, func(s *session.Session) {
		for _, h := range system.Hotels[100:] {
			s.Viewed(session.RecentlyViewed{Property: h.Property, Tenant: h.Tenant, ViewedAt: system.Env.Now(), Source: session.FromLink})
		}
	})
	check.Must(t, err)
	before := map[string]int{}
	checkNewCalls(t, system, before, map[string]int{"properties": 1, "tenants": 1})
	got := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session?expand=card", nil))
	checkNewCalls(t, system, before, map[string]int{"listings": 1, "previews": 1, "brands": 1})
	if len(got.Wishlist) != 100 || len(got.RecentlyViewed) != 50 {
		t.Fatalf("%d wishes and %d viewed, want 100 and 50", len(got.Wishlist), len(got.RecentlyViewed))
	}
	check.Equal(t, got.Degraded, nil)
	for _, w := range got.Wishlist {
		if w.Carded == nil || w.Card == nil {
			t.Fatalf("%s has no card", w.Property)
		}
	}
	for _, w := range got.RecentlyViewed {
		if w.Carded == nil || w.Card == nil {
			t.Fatalf("%s has no card", w.Property)
		}
	}
}

// Cards show the hotels of the caller's session only.
func TestCards_otherSession(t *testing.T) {
	t.Parallel()
	system := openCards(t, 2)
	mine, theirs := system.Traveller(), system.Traveller()
	mine.Must(201, "POST", "/wishlist", wishBody(system.Hotels[0].Property, `,"note":"my own words"`))
	mine.Must(200, "GET", "/hotels/"+system.Hotels[1].Property.String(), nil)
	check.MustEqual(t, len(expanded(t, mine).Wishes), 1, "my wishes")
	before := system.AllCalls()
	for _, path := range []string{"/wishlist?expand=card", "/session?expand=card"} {
		t.Run(path, func(t *testing.T) {
			a := theirs.Must(200, "GET", path, nil)
			for _, secret := range []string{system.Hotels[0].Property.String(), system.Hotels[1].Property.String(), "my own words"} {
				t.Run(secret, func(t *testing.T) {
					check.Lacks(t, string(a.Body), secret)
				})
			}
		})
	}
	checkNewCalls(t, system, before, nil)
}
