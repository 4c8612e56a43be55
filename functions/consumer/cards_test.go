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
		if w.Carded == nil {
			t.Fatalf("the wish for %s has no member card", w.Property)
		}
	}
	return r
}

// checkNewCalls fails the test unless the services got these numbers of requests, and no others, since the last check.
func checkNewCalls(t *testing.T, system *consumertest.System, before, want map[string]int) {
	t.Helper()
	all := system.AllCalls()
	for name, total := range all {
		if n := total - before[name]; n != want[name] {
			t.Errorf("%s: %d new calls, want %d", name, n, want[name])
		}
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
	if len(got.Wishes) != 2 {
		t.Fatalf("%d wishes, want 2", len(got.Wishes))
	}
	if got.Stale || got.Degraded != nil {
		t.Fatalf("stale %t, degraded %q; want complete cards", got.Stale, got.Degraded)
	}
	for i, hotel := range []int{1, 0} {
		t.Run(fmt.Sprint(hotel), func(t *testing.T) {
			card := got.Wishes[i].Card
			if card == nil {
				t.Fatalf("got.Wishes[%d].Card = nil, want a card", i)
			}
			if card.Property != system.Hotels[hotel].Property || card.Property != got.Wishes[i].Property {
				t.Errorf("got.Wishes[%d].Card.Property = %s, want %s", i, card.Property, system.Hotels[hotel].Property)
			}
			if card.Brand.Color != "#1a2b3c" {
				t.Errorf("got.Wishes[%d].Card.Brand = %+v, want the hotel's", i, card.Brand)
			}
			if card.Rate == nil {
				t.Fatalf("got.Wishes[%d].Card.Rate = nil, want 50 dollars", i)
			}
			if card.Rate.Nightly != 5000 || card.Rate.Policy != search.VisitorCurrency {
				t.Errorf("got.Wishes[%d].Card.Rate = %+v, want 50 dollars", i, card.Rate)
			}
		})
	}
	if name := got.Wishes[0].Card.Name.Display; name != "هوټل 1" {
		t.Errorf("got.Wishes[0].Card.Name.Display = %q, want it in Pashto", name)
	}
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
	if len(got.Wishes) != 1 {
		t.Fatalf("without the search service: %d wishes, want 1", len(got.Wishes))
	}
	if got.Wishes[0].Card != nil || !slices.Equal(got.Degraded, []string{"search"}) {
		t.Errorf("without the search service: card %+v, degraded %q; want none and search", got.Wishes[0].Card, got.Degraded)
	}
	system.SetBehavior("listings", upstreamtest.Working)
	system.SetBehavior("previews", upstreamtest.Failing)
	system.SetBehavior("brands", upstreamtest.Failing)
	system.DB.Advance(5 * time.Second)
	got = expanded(t, v)
	card := got.Wishes[0].Card
	if card == nil {
		t.Fatal("without prices and brands: no card")
	}
	if card.Rate != nil || card.Brand.Color != "#5b6470" {
		t.Errorf("without prices and brands: card %+v, want one without a price and with a neutral brand", card)
	}
	if !slices.Equal(got.Degraded, []string{"theme", "pricing"}) {
		t.Errorf(`got.Degraded = %q, want ["theme" "pricing"]`, got.Degraded)
	}
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
	if plain := v.Must(200, "GET", "/session", nil); strings.Contains(string(plain.Body), `"card"`) {
		t.Errorf("without expand: %s", plain.Body)
	}
	checkNewCalls(t, system, before, nil)
	var got readsession.Response
	v.Must(200, "GET", "/session?expand=card", nil).Into(t, &got)
	checkNewCalls(t, system, before, map[string]int{"listings": 1, "previews": 1}) // the brands are in memory
	if len(got.Wishlist) != 1 {
		t.Fatalf("len(got.Wishlist) = %d, want 1", len(got.Wishlist))
	}
	if got.Wishlist[0].Carded == nil || got.Wishlist[0].Card == nil {
		t.Fatalf("got.Wishlist[0] = %+v, want the hotel with its card", got.Wishlist[0])
	}
	if len(got.RecentlyViewed) != 2 {
		t.Fatalf("len(got.RecentlyViewed) = %d, want 2", len(got.RecentlyViewed))
	}
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
	var other readsession.Response
	stranger.Must(200, "GET", "/session?expand=card", nil).Into(t, &other)
	if len(other.Wishlist)+len(other.RecentlyViewed) != 0 {
		t.Errorf("another visitor sees %+v and %+v", other.Wishlist, other.RecentlyViewed)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	_, err = system.Sessions().Change(t.Context(), v.Session, func(s *session.Session) {
		for _, h := range system.Hotels[100:] {
			s.Viewed(session.RecentlyViewed{Property: h.Property, Tenant: h.Tenant, ViewedAt: system.Env.Now(), Source: session.FromLink})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]int{}
	checkNewCalls(t, system, before, map[string]int{"properties": 1, "tenants": 1})
	var got readsession.Response
	v.Must(200, "GET", "/session?expand=card", nil).Into(t, &got)
	checkNewCalls(t, system, before, map[string]int{"listings": 1, "previews": 1, "brands": 1})
	if len(got.Wishlist) != 100 || len(got.RecentlyViewed) != 50 {
		t.Fatalf("%d wishes and %d viewed, want 100 and 50", len(got.Wishlist), len(got.RecentlyViewed))
	}
	if got.Degraded != nil {
		t.Errorf("got.Degraded = %q, want nil", got.Degraded)
	}
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
	if r := expanded(t, mine); len(r.Wishes) != 1 {
		t.Fatalf("my wishes = %d, want 1", len(r.Wishes))
	}
	before := system.AllCalls()
	for _, path := range []string{"/wishlist?expand=card", "/session?expand=card"} {
		t.Run(path, func(t *testing.T) {
			a := theirs.Must(200, "GET", path, nil)
			for _, secret := range []string{system.Hotels[0].Property.String(), system.Hotels[1].Property.String(), "my own words"} {
				t.Run(secret, func(t *testing.T) {
					if strings.Contains(string(a.Body), secret) {
						t.Errorf("%s shows %s of another session: %s", path, secret, a.Body)
					}
				})
			}
		})
	}
	checkNewCalls(t, system, before, nil)
}
