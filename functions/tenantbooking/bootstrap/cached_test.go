package bootstrap

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	a.Want(t, 200, "X-Cache", "HIT")
	return a, shown
}

func TestCached_sameContent(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first, composed := get(t, front, path)
	a, cached := warm(t, front, path, "Cookie", jar(t, first))
	if diff := cmp.Diff(composed, cached, cmpopts.IgnoreFields(Bootstrap{}, "CSP", "ServerTime", "ComposedAt")); diff != "" {
		t.Errorf("unexpected cached bootstrap (-composed +cached):\n%s", diff)
	}
	check.NotEqual(t, cached.CSP.Nonce, "", "no nonce")
	check.NotEqual(t, cached.CSP, composed.CSP, "the nonce is used twice")
	for _, answer := range []fntest.Answer{first, a} {
		vary := strings.Join(answer.Header.Values("Vary"), ", ")
		for _, name := range []string{"Origin", "Accept-Language", "Cookie", "X-Currency"} {
			t.Run(name, func(t *testing.T) {
				check.Contains(t, vary, name)
			})
		}
		if control := answer.Header.Get("Cache-Control"); control != "no-store" && control != "private, no-store" {
			t.Errorf("a shared cache may store it: Cache-Control = %q", control)
		}
		check.Equal(t, answer.Header.Get("Etag"), "")
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
					type identity struct {
						tenant, theme id.Tenant
						slug          string
						language      locale.Tag
						currency      money.Currency
					}
					got := identity{shown.Tenant, shown.Theme.Tenant, shown.Slug, shown.Locale, shown.Currency}
					check.Equal(t, got, identity{hotel.ID, hotel.ID, hotel.Slug, language, currency})
					a.Want(t, 200, "Content-Language", string(language))
					if nonces[shown.CSP.Nonce] {
						t.Errorf("the nonce %q is used twice", shown.CSP.Nonce)
					}
					nonces[shown.CSP.Nonce] = true
				}
			}
		}
	}
	guest, other := front.Get(path), front.Get(path)
	link := path + "?h=" + system.Link(0).Reveal()
	if _, sent := get(t, front, link, "Cookie", jar(t, guest)); sent.Handoff == nil {
		t.Error("the guest with a handoff gets no handoffPayload")
	} else if sent.Arrival == nil {
		t.Error("the guest with a handoff gets no handoffArrivalId")
	}
	if _, shown := get(t, front, path, "Cookie", jar(t, other)); shown.Handoff != nil {
		t.Errorf("another guest gets the handoff %+v", shown.Handoff)
	} else if shown.Arrival != nil {
		t.Errorf("another guest gets the arrival %s", shown.Arrival)
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
		t.Errorf("without an event: got version %s, want %s", still.Version, before.Version)
	}
	now := system.Env.Now
	system.Deliver(themepublished.Function, hotel, map[string]any{"tenantId": hotel, "themeId": "thm_01J8KABG00000000000000000A",
		"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": "2026-01-01T00:00:00Z"}, now())
	a, after := get(t, front, path)
	a.Want(t, 200, "X-Cache", "MISS")
	check.Equal(t, after.Theme.Version, 2, "after the new theme: version")
	warm(t, front, path)
	system.Platform.Change(func() { system.Platform.Tenants[0].BrandName, system.Platform.Tenants[0].ConfigVersion = "New", 2 })
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"brandName"}, "updatedAt": now()}, now())
	_, after = get(t, front, path)
	check.Equal(t, after.BrandName, "New", "after the new name")
	check.Equal(t, after.ComposedFrom.Config, "v2", "after the new name: configuration")
	warm(t, front, path)
	system.Deliver(tenantsuspended.Function, hotel, map[string]any{"tenantId": hotel, "reason": "unpaid", "suspendedAt": now()}, now())
	front.Get(path).WantProblem(t, 503, "TENANT.SUSPENDED")
	system.Deliver(tenantreinstated.Function, hotel, map[string]any{"tenantId": hotel, "reinstatedAt": now().Add(time.Second)}, now().Add(time.Second))
	front.Get(path).Want(t, 200)
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
		t.Errorf("before the expiry: got version %d, want 1", shown.Theme.Version)
	}
	system.DB.Advance(31 * time.Second)
	if _, shown := get(t, front, path); shown.Theme.Version != 2 {
		t.Errorf("after the expiry: got version %d, want 2", shown.Theme.Version)
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
	store := &used{Store: documents.Open(system.Env)}
	e, issuer := fntest.Surround(t, document.StoreKey.With(system.Env, store))
	front := fntest.Behind(t, e, issuer, Function).As("")
	cookie := jar(t, front.Get(path))
	warm(t, front, path, "Cookie", cookie)
	store.reads, store.wrote = nil, 0
	warm(t, front, path, "Cookie", cookie)
	check.Equal(t, len(store.reads), 4, "reads of four hits")
	check.Equal(t, store.wrote, 0, "writes of four hits")
	for _, names := range store.reads {
		if len(names) != 5 { // two epochs, status, session, mark
			t.Errorf("a hit reads %d documents, want 5: %v", len(names), names)
		}
	}
}
