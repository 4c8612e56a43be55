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

// openWishlists is the site with everything about wishlists, and whose hotels there are.
func openWishlists(t *testing.T) (*consumertest.Site, *consumertest.FakeHotels) {
	t.Helper()
	db, hotels := pgtest.New(t), consumertest.OpenFakeHotels(t)
	return consumertest.OpenOn(t, db, hotels.Around(db.Env()), addwish.Function, removewish.Function, listwishes.Function, readsession.Function), hotels
}

func wishBody(p id.Property, more string) string {
	return `{"propertyId":"` + p.String() + `","source":"list"` + more + `}`
}

func readWishlist(t *testing.T, v *consumertest.Traveller) listwishes.Response {
	t.Helper()
	var r listwishes.Response
	v.Must(200, "GET", "/wishlist", nil).Into(t, &r)
	return r
}

func TestWishlist_eachHotelOnce(t *testing.T) {
	t.Parallel()
	site, hotels := openWishlists(t)
	v := site.Traveller()
	one, other := id.New[id.Property](), id.New[id.Property]()
	var first, again addwish.Response
	v.Must(201, "POST", "/wishlist", wishBody(one, `,"note":"With the garden"`)).Into(t, &first)
	if first.Tenant != hotels.Tenant {
		t.Errorf("first.Tenant = %v, want %v", first.Tenant, hotels.Tenant)
	}
	if first.Property != one {
		t.Errorf("first.Property = %v, want %v", first.Property, one)
	}
	if first.Note != "With the garden" {
		t.Errorf(`first.Note = %q, want "With the garden"`, first.Note)
	}
	v.Must(200, "POST", "/wishlist", wishBody(one, "")).Into(t, &again)
	if again.ID != first.ID {
		t.Errorf("again.ID = %v, want %v", again.ID, first.ID)
	}
	if again.Note != first.Note {
		t.Errorf("again.Note = %q, want %q", again.Note, first.Note)
	}
	if !again.AddedAt.Equal(first.AddedAt) {
		t.Errorf("again.AddedAt = %v, want %v", again.AddedAt, first.AddedAt)
	}
	v.Must(200, "POST", "/wishlist", wishBody(one, `,"note":"باغ"`)).Into(t, &again)
	if again.Note != "باغ" {
		t.Errorf("a new note is %q", again.Note)
	}
	var without addwish.Response
	if v.Must(200, "POST", "/wishlist", wishBody(one, `,"note":""`)).Into(t, &without); without.Note != "" {
		t.Errorf("a note that was deleted is %q", without.Note)
	}
	v.Must(201, "POST", "/wishlist", wishBody(other, ""))
	var published struct {
		Size   int    `json:"wishlistSize"`
		Source string `json:"source"`
	}
	site.Payload("wishlist.added", &published)
	if published.Size != 2 {
		t.Errorf("published.Size = %d, want 2", published.Size)
	}
	if published.Source != "list" {
		t.Errorf(`published.Source = %q, want "list"`, published.Source)
	}
	r := readWishlist(t, v)
	if len(r.Wishes) != 2 {
		t.Fatalf("len(r.Wishes) = %d, want 2", len(r.Wishes))
	}
	if r.Wishes[0].Property != other {
		t.Errorf("r.Wishes[0].Property = %v, want %v", r.Wishes[0].Property, other)
	}
	if r.Max != 100 {
		t.Errorf("r.Max = %d, want 100", r.Max)
	}
	v.Must(204, "DELETE", "/wishlist/"+one.String(), nil)
	v.Must(204, "DELETE", "/wishlist/"+one.String(), nil)
	if site.Payload("wishlist.removed", &published); published.Size != 1 {
		t.Errorf("events: got %+v", published)
	}
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if len(shown.Wishlist) != 1 {
		t.Fatalf("len(shown.Wishlist) = %d, want 1", len(shown.Wishlist))
	}
	if shown.Wishlist[0].Property != other {
		t.Errorf("shown.Wishlist[0].Property = %v, want %v", shown.Wishlist[0].Property, other)
	}
	site.CheckPublished("wishlist.added", 2)
	site.CheckPublished("wishlist.removed", 1)
}

func TestWishlist_idempotencyKey(t *testing.T) {
	t.Parallel()
	site, _ := openWishlists(t)
	v, stranger := site.Traveller(), site.Traveller()
	v.Must(200, "GET", "/session", nil)
	key := []string{"Idempotency-Key", "once"}
	body := wishBody(id.New[id.Property](), `,"note":"mine"`)
	first := v.Must(201, "POST", "/wishlist", body, key...)
	again := v.Must(201, "POST", "/wishlist", body, key...)
	if string(again.Body) != string(first.Body) {
		t.Errorf("string(again.Body) = %q, want %q", string(again.Body), string(first.Body))
	}
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf(`again.Header.Get("Idempotent-Replayed") = %q, want "true"`, again.Header.Get("Idempotent-Replayed"))
	}
	if len(cookies(again)) != 0 {
		t.Errorf("len(cookies(again)) = %d, want 0", len(cookies(again)))
	}
	// The same key of another visitor is another act with its own answer and cookie.
	a := stranger.Must(201, "POST", "/wishlist", body, key...)
	if a.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf(`a.Header.Get("Idempotent-Replayed") = %q, want ""`, a.Header.Get("Idempotent-Replayed"))
	}
	if string(a.Body) == string(first.Body) {
		t.Errorf("string(a.Body) = %q, want another value", string(a.Body))
	}
	if len(cookies(a)) != 1 {
		t.Errorf("len(cookies(a)) = %d, want 1", len(cookies(a)))
	}
	site.CheckPublished("wishlist.added", 2)
}

func TestWishlist_full(t *testing.T) {
	t.Parallel()
	site, _ := openWishlists(t)
	v := site.Traveller()
	var first id.Property
	for i := range 99 {
		p := id.New[id.Property]()
		if i == 0 {
			first = p
		}
		v.Must(201, "POST", "/wishlist", wishBody(p, ""))
	}
	// Of several who want the hundredth place at once one gets it.
	const racers = 4
	answers := make([]fntest.Answer, racers)
	var all sync.WaitGroup
	for i := range racers {
		same := *v
		all.Go(func() { answers[i] = same.Send("POST", "/wishlist", wishBody(id.New[id.Property](), "")) })
	}
	all.Wait()
	got := map[string]int{}
	for _, a := range answers {
		got[fmt.Sprint(a.Status, a.Code())]++
	}
	if got["201"] != 1 {
		t.Errorf(`got["201"] = %d, want 1`, got["201"])
	}
	if got["422BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED"] != racers-1 {
		t.Errorf(`got["422BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED"] = %d, want %d`, got["422BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED"], racers-1)
	}
	a := v.Send("POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	if a.Status != 422 {
		t.Errorf("the 101st: status = %d, want 422: %s", a.Status, a.Body)
	}
	if a.Code() != "BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED" {
		t.Errorf(`the 101st: code = %q, want "BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED"`, a.Code())
	}
	v.Must(200, "POST", "/wishlist", wishBody(first, ""))
	v.Must(204, "DELETE", "/wishlist/"+first.String(), nil)
	v.Must(201, "POST", "/wishlist", wishBody(first, ""))
	if r := readWishlist(t, v); len(r.Wishes) != 100 {
		t.Errorf("%d hotels are listed", len(r.Wishes))
	}
	site.CheckPublished("wishlist.added", 101)
}

func TestWishlist_unknownHotel(t *testing.T) {
	t.Parallel()
	site, hotels := openWishlists(t)
	v := site.Traveller()
	for body, want := range map[string]string{
		wishBody(hotels.Missing, ""): "GENERAL.RESOURCE_NOT_FOUND",
		wishBody(id.New[id.Property](), `,"note":"`+strings.Repeat("ب", 281)+`"`): "GENERAL.VALIDATION_FAILED",
		`{"propertyId":"ppt_1","source":"list"}`:                                  "GENERAL.VALIDATION_FAILED",
		strings.Replace(wishBody(hotels.Missing, ""), "list", "elsewhere", 1):     "GENERAL.VALIDATION_FAILED",
	} {
		t.Run(body, func(t *testing.T) {
			if a := v.Send("POST", "/wishlist", body); a.Code() != want {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), `,"note":"`+strings.Repeat("ب", 280)+`"`))
}

func TestSessions_isolated(t *testing.T) {
	t.Parallel()
	site, _ := openWishlists(t)
	mine, theirs := site.Traveller(), site.Traveller()
	p := id.New[id.Property]()
	mine.Must(201, "POST", "/wishlist", wishBody(p, `,"note":"my own words"`))
	if r := readWishlist(t, theirs); len(r.Wishes) != 0 {
		t.Errorf("a stranger sees %+v", r)
	}
	theirs.Must(204, "DELETE", "/wishlist/"+p.String(), nil)
	var added addwish.Response
	theirs.Must(201, "POST", "/wishlist", wishBody(p, "")).Into(t, &added)
	r := readWishlist(t, mine)
	if len(r.Wishes) != 1 {
		t.Fatalf("len(r.Wishes) = %d, want 1", len(r.Wishes))
	}
	if r.Wishes[0].ID == added.ID {
		t.Errorf("r.Wishes[0].ID = %v, want another value", r.Wishes[0].ID)
	}
	if r.Wishes[0].Note != "my own words" {
		t.Errorf(`r.Wishes[0].Note = %q, want "my own words"`, r.Wishes[0].Note)
	}
	if added.Note != "" {
		t.Errorf(`added.Note = %q, want ""`, added.Note)
	}
}

func TestWish_suspendedHotel(t *testing.T) {
	t.Parallel()
	site, hotels := openWishlists(t)
	hotels.Suspended.Store(true)
	v := site.Traveller()
	a := v.Send("POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	if a.Status != 404 {
		t.Errorf("status = %d, want 404: %s", a.Status, a.Body)
	}
	if a.Code() != "GENERAL.RESOURCE_NOT_FOUND" {
		t.Errorf(`code = %q, want "GENERAL.RESOURCE_NOT_FOUND"`, a.Code())
	}
	if r := readWishlist(t, v); len(r.Wishes) != 0 {
		t.Errorf("listed %+v", r)
	}
}
