package bootstrap

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/pg"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// get requests a bootstrap and decodes it.
func get(t *testing.T, front *fntest.Front, path string, headers ...string) (fntest.Answer, Bootstrap) {
	t.Helper()
	a := front.Get(path, headers...)
	var shown Bootstrap
	if err := json.Unmarshal(a.Body, &shown); a.Status == 200 && err != nil {
		t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	return a, shown
}

// warm requests a site until its parts are cached in the process.
func warm(t *testing.T, front *fntest.Front, path string, headers ...string) (fntest.Answer, Bootstrap) {
	t.Helper()
	for range 3 {
		get(t, front, path, headers...)
	}
	a, shown := get(t, front, path, headers...)
	if a.Status != 200 || a.Header.Get("X-Cache") != "HIT" {
		t.Errorf("%s is not cached: %d %v", path, a.Status, a.Header)
	}
	return a, shown
}

func TestCached_sameContent(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first, composed := get(t, front, path)
	a, cached := warm(t, front, path, "Cookie", jar(t, first))
	want, err := json.Marshal(composed.Facade)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(cached.Facade)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("cached: %s, %v\ncomposed: %s", got, err, want)
	}
	if cached.Version != composed.Version {
		t.Errorf("the version changed from %s to %s", composed.Version, cached.Version)
	}
	if cached.CSP == composed.CSP || cached.CSP.Nonce == "" {
		t.Errorf("the nonce %q is empty or used twice", cached.CSP.Nonce)
	}
	for _, answer := range []fntest.Answer{first, a} {
		vary := strings.Join(answer.Header.Values("Vary"), ", ")
		for _, name := range []string{"Origin", "Accept-Language", "Cookie", "X-Currency"} {
			if !strings.Contains(vary, name) {
				t.Errorf("Vary is %q, without %s", vary, name)
			}
		}
		if control := answer.Header.Get("Cache-Control"); control != "no-store" && control != "private, no-store" {
			t.Errorf("a shared cache may store it: Cache-Control = %q", control)
		}
		if tag := answer.Header.Get("Etag"); tag != "" {
			t.Errorf("ETag = %q, want none", tag)
		}
	}
}

// The cached parts belong to one hotel. The visitor's own part is added for each response.
func TestCached_perTenantLanguageCurrency(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	nonces := map[string]bool{}
	for range 2 {
		for _, hotel := range system.Platform.Tenants[:2] {
			for _, language := range hotel.Locales {
				for _, currency := range hotel.Currencies {
					at := strings.Replace(path, "kabul-grand", hotel.Slug, 1)
					a, shown := warm(t, front, at, "Accept-Language", string(language), "X-Currency", string(currency))
					if shown.Facade.Tenant != hotel.ID || shown.Slug != hotel.Slug || shown.Locale != language || shown.Currency != currency || shown.Theme.Tenant != hotel.ID {
						t.Errorf("%s in %s and %s: %s %s %s", hotel.Slug, language, currency, shown.Slug, shown.Locale, shown.Currency)
					}
					if nonces[shown.CSP.Nonce] || a.Header.Get("Content-Language") != string(language) {
						t.Errorf("a nonce is used twice, or the language is %q", a.Header.Get("Content-Language"))
					}
					nonces[shown.CSP.Nonce] = true
				}
			}
		}
	}
	guest, other := front.Get(path), front.Get(path)
	link := path + "?h=" + system.Link(0).Reveal()
	if _, sent := get(t, front, link, "Cookie", jar(t, guest)); sent.Handoff == nil || sent.Moment.Arrival == nil {
		t.Errorf("who was sent is shown %+v", sent.Moment)
	}
	if _, shown := get(t, front, path, "Cookie", jar(t, other)); shown.Handoff != nil || shown.Moment.Arrival != nil {
		t.Errorf("another is shown %+v", shown.Moment)
	}
}

// The next response after an event shows the change, even if the parts are cached.
func TestCached_eventsInvalidate(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function, themepublished.Function, configupdated.Function, tenantsuspended.Function, tenantreinstated.Function)
	front, hotel := system.Front.As(""), system.Platform.Tenants[0].ID
	_, before := warm(t, front, path)
	hotels.Change(2, 3, 1)
	if _, still := get(t, front, path); still.Version != before.Version {
		t.Errorf("changed without an event: %s", still.Version)
	}
	now := system.Env.Now
	system.Deliver(themepublished.Function, hotel, map[string]any{"tenantId": hotel, "themeId": "thm_01J8KABG00000000000000000A",
		"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": "2026-01-01T00:00:00Z"}, now())
	if a, after := get(t, front, path); after.Theme.Version != 2 || a.Header.Get("X-Cache") != "MISS" {
		t.Errorf("after a new look it shows %+v", after.Theme)
	}
	warm(t, front, path)
	system.Platform.Change(func() { system.Platform.Tenants[0].BrandName, system.Platform.Tenants[0].ConfigVersion = "New", 2 })
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"brandName"}, "updatedAt": now()}, now())
	if _, after := get(t, front, path); after.BrandName != "New" || after.ComposedFrom.Config != "v2" {
		t.Errorf("after a new name it is %q, of %s", after.BrandName, after.ComposedFrom.Config)
	}
	warm(t, front, path)
	system.Deliver(tenantsuspended.Function, hotel, map[string]any{"tenantId": hotel, "reason": "unpaid", "suspendedAt": now()}, now())
	if a, _ := get(t, front, path); a.Status != 503 || a.Code() != "TENANT.SUSPENDED" {
		t.Errorf("suspended: %d", a.Status)
	}
	system.Deliver(tenantreinstated.Function, hotel, map[string]any{"tenantId": hotel, "reinstatedAt": now().Add(time.Second)}, now().Add(time.Second))
	if a, _ := get(t, front, path); a.Status != 200 {
		t.Errorf("reinstated: %d", a.Status)
	}
}

// A change without an event is shown when the cached part expires.
func TestCached_expiresWithParts(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	began := system.Env.Now()
	warm(t, front, path)
	hotels.Change(2, 3, 1)
	system.DB.Advance(4*time.Minute + 30*time.Second - system.Env.Now().Sub(began))
	if _, shown := get(t, front, path); shown.Theme.Version != 1 {
		t.Errorf("before its time: version %d", shown.Theme.Version)
	}
	system.DB.Advance(31 * time.Second)
	if _, shown := get(t, front, path); shown.Theme.Version != 2 {
		t.Errorf("after its time: version %d", shown.Theme.Version)
	}
}

// used counts the uses of a store.
type used struct {
	document.Store
	mu    sync.Mutex
	reads [][]document.Name
	wrote int
}

func (u *used) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	u.mu.Lock()
	u.reads = append(u.reads, names)
	u.mu.Unlock()
	return u.Store.Get(ctx, now, names...)
}

func (u *used) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	u.mu.Lock()
	u.wrote++
	u.mu.Unlock()
	return u.Store.Create(ctx, now, name, r)
}

func (u *used) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	u.mu.Lock()
	u.wrote++
	u.mu.Unlock()
	return u.Store.Put(ctx, now, name, r)
}

func TestCached_hitReadsStoreOnce(t *testing.T) {
	t.Parallel()
	db, hotels := pgtest.New(t), tenantbookingtest.OpenHotels(t)
	system := tenantbookingtest.BuildOn(t, db, hotels.Around(db.Env()), Function)
	store := &used{Store: pg.Open(system.Env)}
	e, issuer := fntest.Surround(t, document.StoreKey.With(system.Env, store))
	front := fntest.Behind(t, e, issuer, Function).As("")
	cookie := jar(t, front.Get(path))
	warm(t, front, path, "Cookie", cookie)
	store.reads, store.wrote = nil, 0
	warm(t, front, path, "Cookie", cookie)
	if len(store.reads) != 4 || store.wrote != 0 {
		t.Errorf("four hits asked %v and wrote %d times", store.reads, store.wrote)
	}
	for _, names := range store.reads {
		if len(names) != 4 { // epoch, status, session, mark
			t.Errorf("a hit reads %v", names)
		}
	}
}
