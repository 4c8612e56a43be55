package tenantbooking_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestFind_renamed renames a hotel and gives its former name to another one. Neither the unknown name nor the moved one costs a call of the
// tenant service for each request.
func TestFind_renamed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	platform := tenantbookingtest.Open(t, db.Env().Now)
	e, _ := fntest.Surround(t, platform.Around(tenantbookingtest.Surround(db.Env())))
	var calls atomic.Int64
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		platform.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(counting.Close)
	e = e.With("UPSTREAM_TENANT_URL", counting.URL+"/tenant")
	tenants := hotel.OpenTenants(e)
	const name = "kabul-grand"
	find := func(want error, limit int64) {
		t.Helper()
		calls.Store(0)
		for range 20 {
			if found, err := tenants.Find(t.Context(), name); !errors.Is(err, want) || err == nil && found.Slug != name {
				t.Fatalf("got %s, %v, want %v", found.Slug, err, want)
			}
		}
		if got := calls.Load(); got > limit {
			t.Errorf("20 requests make %d calls, want at most %d", got, limit)
		}
	}
	find(nil, 2)
	platform.Change(func() { platform.Tenants[0].Slug = "kabul-renamed" })
	check.Must(t, cache.Invalidate(t.Context(), e, hotel.OfConfiguration(platform.Tenants[0].ID)))
	find(hotel.ErrUnknownTenant, 2) // the entry of the renamed hotel, and its former name
	db.Advance(2 * time.Minute)
	find(hotel.ErrUnknownTenant, 1)
	platform.Change(func() { platform.Tenants[1].Slug = name })
	db.Advance(2 * time.Minute)
	find(nil, 3) // the entry of the renamed hotel, the name, and the entry of the other hotel
	db.Advance(time.Minute)
	find(nil, 0)
}
