package consumer_test

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/listwishes"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestRotate_concurrentTabs rotates a session in several concurrent calls of one browser.
func TestRotate_concurrentTabs(t *testing.T) {
	t.Parallel()
	site, _ := openWishlists(t)
	v := site.Traveller()
	kept := fntest.Read[addwish.Response](t, v.Must(201, "POST", "/wishlist", wishBody(id.New[id.Property](), `,"note":"mine"`)))
	old := v.Session
	const tabs = 6
	became := make([]id.GuestSession, tabs)
	shown := make([]listwishes.Response, tabs)
	var all sync.WaitGroup
	for i := range tabs {
		tab := *v
		tab.Headers = append([]string{}, "User-Agent", "Mozilla/5.0 Mobile", "Accept-Language", "ps-AF")
		all.Go(func() {
			tab.Must(200, "GET", "/wishlist", nil).Into(t, &shown[i])
			became[i] = tab.Session
		})
	}
	all.Wait()
	for i := range tabs {
		check.Equal(t, became[i], became[0])
		check.NotEqual(t, became[i], old)
		check.MustEqual(t, len(shown[i].Wishes), 1, "tab %d", i)
		check.Equal(t, shown[i].Wishes[0].ID, kept.ID, "tab %d", i)
		check.Equal(t, shown[i].Wishes[0].Note, "mine", "tab %d", i)
	}
	site.CheckPublished("session.ended", 1)
	site.CheckPublished("session.started", 2)
}

// TestSession_rotatedKeys rotates the keys of cookies and the peppers of fingerprints.
func TestSession_rotatedKeys(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	key := func(name string) string {
		return name + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(name[:1], 32)))
	}
	front := func(keys ...string) *consumertest.Site {
		site := consumertest.OpenOn(t, db, db.Env(), readsession.Function)
		e := site.Env.With("CONSUMER_SESSION_KEYS", strings.Join(keys, ",")).With("PSEUDONYM_PEPPERS", strings.Join(keys, ","))
		site.Front = fntest.Behind(t, e, site.Front.Issuer(), readsession.Function)
		return site
	}
	v := front(key("old")).Traveller()
	v.Must(200, "GET", "/session", nil)
	first := v.Session
	db.Advance(2 * time.Hour)
	v.Site = front(key("new"), key("old"))
	a := v.Must(200, "GET", "/session", nil)
	check.Equal(t, len(cookies(a)), 1)
	check.Contains(t, v.Cookie, ".new.")
	v.Site = front(key("new"))
	v.Must(200, "GET", "/session", nil)
	check.Equal(t, v.Session, first, "the rotation has ended the session")
	v.CheckPublished("session.ended", 0)
	stranger := front(key("other")).Traveller()
	stranger.Must(200, "GET", "/session", nil, "Cookie", v.Cookie)
	check.NotEqual(t, stranger.Session, first, "a removed key is still accepted")
}
