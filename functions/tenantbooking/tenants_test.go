package tenantbooking_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestFind_callsOfTheTenantService(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	platform := tenantbookingtest.Open(t, db.Env().Now)
	e, _ := fntest.Surround(t, platform.Around(tenantbookingtest.Surround(db.Env())))
	var asked atomic.Int64
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		platform.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(counting.Close)
	e = e.With("UPSTREAM_TENANT_URL", counting.URL+"/tenant")
	tenants := hotel.OpenTenants(e)
	calls := func() int64 { return asked.Swap(0) }

	for _, name := range []string{"kabul-grand", "Kabul-Grand", "KABUL-GRAND"} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				found, err := tenants.Find(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if want := platform.Tenants[0].ID; found.ID != want {
					t.Fatalf("Find(%s) = %v, want %v", name, found.ID, want)
				}
			}
		})
	}
	if n := calls(); n != 2 { // one to resolve the name, one to cache the tenant
		t.Errorf("60 requests in three spellings: got %d calls, want 2", n)
	}

	stranger := func(n int) {
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				if _, err := tenants.Find(t.Context(), "no-such-hotel"); !errors.Is(err, hotel.ErrUnknownTenant) {
					t.Errorf("Find of an unknown slug: %v", err)
				}
			})
		}
		all.Wait()
	}
	for range 20 {
		stranger(50)
	}
	if n := calls(); n != 1 {
		t.Errorf("1,000 requests for an unknown slug: %d calls, want 1", n)
	}
	db.Advance(59 * time.Second)
	stranger(1)
	if n := calls(); n != 0 {
		t.Errorf("within a minute: %d calls, want 0", n)
	}
	db.Advance(2 * time.Second)
	stranger(1)
	if n := calls(); n != 1 {
		t.Errorf("after a minute: %d calls, want 1", n)
	}
	platform.Change(func() { platform.Tenants[1].Slug = "no-such-hotel" })
	db.Advance(time.Minute)
	found, err := tenants.Find(t.Context(), "no-such-hotel")
	if err != nil {
		t.Fatal(err)
	}
	if want := platform.Tenants[1].ID; found.ID != want {
		t.Errorf("a minute after the hotel opened: got %v, want %v", found.ID, want)
	}
}
