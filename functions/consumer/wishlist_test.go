package consumer_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/listwishes"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/removewish"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// wishing is the site with everything about wishlists, and whose hotels there are.
func wishing(t *testing.T) (*consumertest.Site, *consumertest.FakeHotels) {
	t.Helper()
	db, houses := pgtest.New(t), consumertest.OpenFakeHotels(t)
	return consumertest.OpenOn(t, db, houses.Around(db.Env()), addwish.Function, removewish.Function, listwishes.Function, readsession.Function), houses
}

func wish(p id.Property, more string) string {
	return `{"propertyId":"` + p.String() + `","source":"list"` + more + `}`
}

func listed(t *testing.T, v *consumertest.Traveller) listwishes.Response {
	t.Helper()
	var r listwishes.Response
	v.Must(200, "GET", "/wishlist", nil).Into(t, &r)
	return r
}

func TestWishlist_eachHotelOnce(t *testing.T) {
	t.Parallel()
	site, houses := wishing(t)
	v := site.Traveller()
	one, other := id.New[id.Property](), id.New[id.Property]()
	var first, again addwish.Response
	v.Must(201, "POST", "/wishlist", wish(one, `,"note":"With the garden"`)).Into(t, &first)
	if first.Tenant != houses.Tenant || first.Property != one || first.Note != "With the garden" {
		t.Errorf("stored: got %+v", first)
	}
	v.Must(200, "POST", "/wishlist", wish(one, "")).Into(t, &again)
	if again.ID != first.ID || again.Note != first.Note || !again.AddedAt.Equal(first.AddedAt) {
		t.Errorf("a repeat changed %+v to %+v", first, again)
	}
	v.Must(200, "POST", "/wishlist", wish(one, `,"note":"باغ"`)).Into(t, &again)
	if again.Note != "باغ" {
		t.Errorf("a new note is %q", again.Note)
	}
	var without addwish.Response
	if v.Must(200, "POST", "/wishlist", wish(one, `,"note":""`)).Into(t, &without); without.Note != "" {
		t.Errorf("a note that was deleted is %q", without.Note)
	}
	v.Must(201, "POST", "/wishlist", wish(other, ""))
	var told struct {
		Size   int    `json:"wishlistSize"`
		Source string `json:"source"`
	}
	if site.Payload("wishlist.added", &told); told.Size != 2 || told.Source != "list" {
		t.Errorf("events: got %+v", told)
	}
	if r := listed(t, v); len(r.Wishes) != 2 || r.Wishes[0].Property != other || r.Max != 100 {
		t.Errorf("listed %+v", r)
	}
	v.Must(204, "DELETE", "/wishlist/"+one.String(), nil)
	v.Must(204, "DELETE", "/wishlist/"+one.String(), nil)
	if site.Payload("wishlist.removed", &told); told.Size != 1 {
		t.Errorf("events: got %+v", told)
	}
	var shown readsession.Response
	if v.Must(200, "GET", "/session", nil).Into(t, &shown); len(shown.Wishlist) != 1 || shown.Wishlist[0].Property != other {
		t.Errorf("the session shows %+v", shown.Wishlist)
	}
	site.CheckPublished("wishlist.added", 2)
	site.CheckPublished("wishlist.removed", 1)
}

func TestWishlist_idempotencyKey(t *testing.T) {
	t.Parallel()
	site, _ := wishing(t)
	v, stranger := site.Traveller(), site.Traveller()
	v.Must(200, "GET", "/session", nil)
	key := []string{"Idempotency-Key", "once"}
	body := wish(id.New[id.Property](), `,"note":"mine"`)
	first := v.Must(201, "POST", "/wishlist", body, key...)
	again := v.Must(201, "POST", "/wishlist", body, key...)
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" || len(set(again)) != 0 {
		t.Errorf("first %s, again %s %v", first.Body, again.Body, again.Header)
	}
	// The same key of somebody else is another act, whose answer has a cookie of its own.
	if a := stranger.Must(201, "POST", "/wishlist", body, key...); a.Header.Get("Idempotent-Replayed") != "" || string(a.Body) == string(first.Body) || len(set(a)) != 1 {
		t.Errorf("a stranger got %s %v", a.Body, a.Header)
	}
	site.CheckPublished("wishlist.added", 2)
}

func TestWishlist_full(t *testing.T) {
	t.Parallel()
	site, _ := wishing(t)
	v := site.Traveller()
	var first id.Property
	for i := range 99 {
		p := id.New[id.Property]()
		if i == 0 {
			first = p
		}
		v.Must(201, "POST", "/wishlist", wish(p, ""))
	}
	// Of several who want the hundredth place at once one gets it.
	const racers = 4
	answers := make([]fntest.Answer, racers)
	var all sync.WaitGroup
	for i := range racers {
		same := *v
		all.Go(func() { answers[i] = same.Send("POST", "/wishlist", wish(id.New[id.Property](), "")) })
	}
	all.Wait()
	got := map[string]int{}
	for _, a := range answers {
		got[fmt.Sprint(a.Status, a.Code())]++
	}
	if got["201"] != 1 || got["422BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED"] != racers-1 {
		t.Errorf("got %v", got)
	}
	if a := v.Send("POST", "/wishlist", wish(id.New[id.Property](), "")); a.Status != 422 || a.Code() != "BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED" {
		t.Errorf("the 101st: %d %s", a.Status, a.Body)
	}
	v.Must(200, "POST", "/wishlist", wish(first, ""))
	v.Must(204, "DELETE", "/wishlist/"+first.String(), nil)
	v.Must(201, "POST", "/wishlist", wish(first, ""))
	if r := listed(t, v); len(r.Wishes) != 100 {
		t.Errorf("%d hotels are listed", len(r.Wishes))
	}
	site.CheckPublished("wishlist.added", 101)
}

func TestWishlist_unknownHotel(t *testing.T) {
	t.Parallel()
	site, houses := wishing(t)
	v := site.Traveller()
	for body, want := range map[string]string{
		wish(houses.Missing, ""): "GENERAL.RESOURCE_NOT_FOUND",
		wish(id.New[id.Property](), `,"note":"`+strings.Repeat("ب", 281)+`"`): "GENERAL.VALIDATION_FAILED",
		`{"propertyId":"ppt_1","source":"list"}`:                              "GENERAL.VALIDATION_FAILED",
		strings.Replace(wish(houses.Missing, ""), "list", "elsewhere", 1):     "GENERAL.VALIDATION_FAILED",
	} {
		if a := v.Send("POST", "/wishlist", body); a.Code() != want {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	v.Must(201, "POST", "/wishlist", wish(id.New[id.Property](), `,"note":"`+strings.Repeat("ب", 280)+`"`))
}

func TestSessions_isolated(t *testing.T) {
	t.Parallel()
	site, _ := wishing(t)
	mine, theirs := site.Traveller(), site.Traveller()
	p := id.New[id.Property]()
	mine.Must(201, "POST", "/wishlist", wish(p, `,"note":"my own words"`))
	if r := listed(t, theirs); len(r.Wishes) != 0 {
		t.Errorf("a stranger sees %+v", r)
	}
	theirs.Must(204, "DELETE", "/wishlist/"+p.String(), nil)
	var added addwish.Response
	theirs.Must(201, "POST", "/wishlist", wish(p, "")).Into(t, &added)
	if r := listed(t, mine); len(r.Wishes) != 1 || r.Wishes[0].ID == added.ID || r.Wishes[0].Note != "my own words" || added.Note != "" {
		t.Errorf("mine became %+v, theirs is %+v", r, added)
	}
}

func TestWish_suspendedHotel(t *testing.T) {
	t.Parallel()
	site, houses := wishing(t)
	houses.Suspended.Store(true)
	v := site.Traveller()
	if a := v.Send("POST", "/wishlist", wish(id.New[id.Property](), "")); a.Status != 404 || a.Code() != "GENERAL.RESOURCE_NOT_FOUND" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if r := listed(t, v); len(r.Wishes) != 0 {
		t.Errorf("listed %+v", r)
	}
}
