package bootstrap

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
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

// zipped sends a request as browsers do, and decompresses the response.
func zipped(t *testing.T, front *fntest.Front, path string, headers ...string) (fntest.Answer, Bootstrap) {
	t.Helper()
	a := front.Get(path, append([]string{"Accept-Encoding", "gzip"}, headers...)...)
	plain := a.Body
	if a.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(a.Body))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	var shown Bootstrap
	if err := json.Unmarshal(plain, &shown); a.Status == 200 && err != nil {
		t.Fatalf("%d %s: %v", a.Status, plain, err)
	}
	return a, shown
}

// warm requests a site until its encoded form is cached.
func warm(t *testing.T, front *fntest.Front, path string, headers ...string) (fntest.Answer, Bootstrap) {
	t.Helper()
	for range 3 {
		zipped(t, front, path, headers...)
	}
	a, shown := zipped(t, front, path, headers...)
	if a.Status != 200 || a.Header.Get("X-Cache") != "HIT" || a.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%s is not packed: %d %v", path, a.Status, a.Header)
	}
	return a, shown
}

func TestPacked_sameContent(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	first := front.Get(path) // encoded for its visitor
	a, _ := warm(t, front, path, "Cookie", jar(t, first))
	plain := front.Get(path, "Cookie", jar(t, first)) // unpacked
	if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("X-Cache") != "HIT" {
		t.Errorf("who reads no gzip is given %v", plain.Header)
	}
	_, packed := zipped(t, front, path, "Cookie", jar(t, first))
	want, err := json.Marshal(packed.Facade)
	if err != nil {
		t.Fatal(err)
	}
	for form, body := range map[string][]byte{"at first": first.Body, "unpacked": plain.Body} {
		var shown Bootstrap
		if err := json.Unmarshal(body, &shown); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(shown.Facade)
		if err != nil || !bytes.Equal(got, want) || shown.Version != packed.Version || shown.CSP == packed.CSP || shown.CSP.Nonce == "" {
			t.Errorf("%s it says %s\nand packed %s: %v", form, got, want, err)
		}
	}
	for _, answer := range []fntest.Answer{first, a, plain} {
		vary := strings.Join(answer.Header.Values("Vary"), ", ")
		for _, name := range []string{"Origin", "Accept-Language", "Cookie", "X-Currency", "Accept-Encoding"} {
			if !strings.Contains(vary, name) {
				t.Errorf("Vary is %q, without %s", vary, name)
			}
		}
		if answer.Header.Get("Cache-Control") != "no-store" && answer.Header.Get("Cache-Control") != "private, no-store" || answer.Header.Get("Etag") != "" {
			t.Errorf("it may be kept: %v", answer.Header)
		}
	}
}

// The encoded form belongs to one hotel, language and currency. The visitor's own part is added for each response.
func TestPacked_perTenantLanguageCurrency(t *testing.T) {
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
	if _, sent := zipped(t, front, link, "Cookie", jar(t, guest)); sent.Handoff == nil || sent.Moment.Arrival == nil {
		t.Errorf("who was sent is shown %+v", sent.Moment)
	}
	if _, shown := zipped(t, front, path, "Cookie", jar(t, other)); shown.Handoff != nil || shown.Moment.Arrival != nil {
		t.Errorf("another is shown %+v", shown.Moment)
	}
}

// The next response after an event shows the change, even if the encoded form is cached.
func TestPacked_eventsInvalidate(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function, themepublished.Function, configupdated.Function, tenantsuspended.Function, tenantreinstated.Function)
	front, hotel := system.Front.As(""), system.Platform.Tenants[0].ID
	_, before := warm(t, front, path)
	hotels.Change(2, 3, 1)
	if _, still := zipped(t, front, path); still.Version != before.Version {
		t.Errorf("changed without an event: %s", still.Version)
	}
	now := system.Env.Now
	system.Deliver(themepublished.Function, hotel, map[string]any{"tenantId": hotel, "themeId": "thm_01J8KABG00000000000000000A",
		"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": "2026-01-01T00:00:00Z"}, now())
	if a, after := zipped(t, front, path); after.Theme.Version != 2 || a.Header.Get("X-Cache") != "MISS" {
		t.Errorf("after a new look it shows %+v", after.Theme)
	}
	warm(t, front, path)
	system.Platform.Change(func() { system.Platform.Tenants[0].BrandName, system.Platform.Tenants[0].ConfigVersion = "New", 2 })
	system.Deliver(configupdated.Function, hotel, map[string]any{"tenantId": hotel, "configVersion": 2, "changedKeys": []string{"brandName"}, "updatedAt": now()}, now())
	if _, after := zipped(t, front, path); after.BrandName != "New" || after.ComposedFrom.Config != "v2" {
		t.Errorf("after a new name it is %q, of %s", after.BrandName, after.ComposedFrom.Config)
	}
	warm(t, front, path)
	system.Deliver(tenantsuspended.Function, hotel, map[string]any{"tenantId": hotel, "reason": "unpaid", "suspendedAt": now()}, now())
	if a, _ := zipped(t, front, path); a.Status != 503 || a.Code() != "TENANT.SUSPENDED" {
		t.Errorf("suspended: %d", a.Status)
	}
	system.Deliver(tenantreinstated.Function, hotel, map[string]any{"tenantId": hotel, "reinstatedAt": now().Add(time.Second)}, now().Add(time.Second))
	if a, _ := zipped(t, front, path); a.Status != 200 {
		t.Errorf("reinstated: %d", a.Status)
	}
}

// A change without an event is shown when the cached part expires. The encoded form does not live longer.
func TestPacked_expiresWithParts(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, Function)
	front := system.Front.As("")
	began := system.Env.Now()
	warm(t, front, path)
	hotels.Change(2, 3, 1)
	system.DB.Advance(4*time.Minute + 30*time.Second - system.Env.Now().Sub(began))
	if _, shown := zipped(t, front, path); shown.Theme.Version != 1 {
		t.Errorf("before its time: version %d", shown.Theme.Version)
	}
	system.DB.Advance(31 * time.Second)
	if _, shown := zipped(t, front, path); shown.Theme.Version != 2 {
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

func TestPacked_hitReadsStoreOnce(t *testing.T) {
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
