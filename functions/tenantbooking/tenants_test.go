package tenantbooking_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
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
				check.Must(t, err)
				check.MustEqual(t, found.ID, platform.Tenants[0].ID)
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
				check.Got(tenants.Find(t.Context(), "no-such-hotel")).Error(t, hotel.ErrUnknownTenant, "Find of an unknown slug")
			})
		}
		all.Wait()
	}
	for range 20 {
		stranger(50)
	}
	check.Equal(t, calls(), 1, "1,000 requests for an unknown slug: calls")
	db.Advance(59 * time.Second)
	stranger(1)
	check.Equal(t, calls(), 0, "within a minute: calls")
	db.Advance(2 * time.Second)
	stranger(1)
	check.Equal(t, calls(), 1, "after a minute: calls")
	platform.Change(func() { platform.Tenants[1].Slug = "no-such-hotel" })
	db.Advance(time.Minute)
	found, err := tenants.Find(t.Context(), "no-such-hotel")
	check.Must(t, err)
	check.Equal(t, found.ID, platform.Tenants[1].ID, "a minute after the hotel opened")
}
