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
	"melmastoon.ghasi.io/shared/testkit/check"
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
	r := fntest.Read[listwishes.Response](t, v.Must(200, "GET", "/wishlist", nil))
	return r
}

func TestWishlist_eachHotelOnce(t *testing.T) {
	t.Parallel()
	site, hotels := openWishlists(t)
	v := site.Traveller()
	one, other := id.New[id.Property](), id.New[id.Property]()
	var first, again addwish.Response
	v.Must(201, "POST", "/wishlist", wishBody(one, `,"note":"With the garden"`)).Into(t, &first)
	check.Equal(t, first.Tenant, hotels.Tenant)
	check.Equal(t, first.Property, one)
	check.Equal(t, first.Note, "With the garden")
	v.Must(200, "POST", "/wishlist", wishBody(one, "")).Into(t, &again)
	check.Equal(t, again.ID, first.ID)
	check.Equal(t, again.Note, first.Note)
	check.Equal(t, again.AddedAt, first.AddedAt)
	v.Must(200, "POST", "/wishlist", wishBody(one, `,"note":"باغ"`)).Into(t, &again)
	check.Equal(t, again.Note, "باغ", "a new note")
	without := fntest.Read[addwish.Response](t, v.Must(200, "POST", "/wishlist", wishBody(one, `,"note":""`)))
	check.Equal(t, without.Note, "", "a note that was deleted")
	v.Must(201, "POST", "/wishlist", wishBody(other, ""))
	var published struct {
		Size   int    `json:"wishlistSize"`
		Source string `json:"source"`
	}
	site.Payload("wishlist.added", &published)
	check.Equal(t, published.Size, 2)
	check.Equal(t, published.Source, "list")
	r := readWishlist(t, v)
	check.MustEqual(t, len(r.Wishes), 2)
	check.Equal(t, r.Wishes[0].Property, other)
	check.Equal(t, r.Max, 100)
	v.Must(204, "DELETE", "/wishlist/"+one.String(), nil)
	v.Must(204, "DELETE", "/wishlist/"+one.String(), nil)
	site.Payload("wishlist.removed", &published)
	check.Equal(t, published.Size, 1, "events")
	shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
	check.MustEqual(t, len(shown.Wishlist), 1)
	check.Equal(t, shown.Wishlist[0].Property, other)
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
	check.Equal(t, string(again.Body), string(first.Body))
	check.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
	check.Equal(t, len(cookies(again)), 0)
	// The same key of another visitor is another act with its own answer and cookie.
	a := stranger.Must(201, "POST", "/wishlist", body, key...)
	check.Equal(t, a.Header.Get("Idempotent-Replayed"), "")
	check.NotEqual(t, string(a.Body), string(first.Body))
	check.Equal(t, len(cookies(a)), 1)
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
	check.Equal(t, got["201"], 1)
	check.Equal(t, got["422BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED"], racers-1)
	a := v.Send("POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	a.Want(t, 422)
	check.Equal(t, a.Code(), "BFF.CONSUMER.WISHLIST_LIMIT_EXCEEDED", "the 101st: code")
	v.Must(200, "POST", "/wishlist", wishBody(first, ""))
	v.Must(204, "DELETE", "/wishlist/"+first.String(), nil)
	v.Must(201, "POST", "/wishlist", wishBody(first, ""))
	check.Equal(t, len(readWishlist(t, v).Wishes), 100, "hotels listed")
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
			check.Equal(t, v.Send("POST", "/wishlist", body).Code(), want)
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
	check.Equal(t, len(readWishlist(t, theirs).Wishes), 0, "wishes that a stranger sees")
	theirs.Must(204, "DELETE", "/wishlist/"+p.String(), nil)
	added := fntest.Read[addwish.Response](t, theirs.Must(201, "POST", "/wishlist", wishBody(p, "")))
	r := readWishlist(t, mine)
	check.MustEqual(t, len(r.Wishes), 1)
	check.NotEqual(t, r.Wishes[0].ID, added.ID)
	check.Equal(t, r.Wishes[0].Note, "my own words")
	check.Equal(t, added.Note, "")
}

func TestWish_suspendedHotel(t *testing.T) {
	t.Parallel()
	site, hotels := openWishlists(t)
	hotels.Suspended.Store(true)
	v := site.Traveller()
	a := v.Send("POST", "/wishlist", wishBody(id.New[id.Property](), ""))
	a.WantProblem(t, 404, "GENERAL.RESOURCE_NOT_FOUND")
	check.Equal(t, len(readWishlist(t, v).Wishes), 0, "listed")
}
