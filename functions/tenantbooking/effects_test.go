package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/allocationcommitted"
	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/rateplanpublished"
	"melmastoon.ghasi.io/functions/tenantbooking/sessionrevoked"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// A cachedSite reads every cache of the service, and counts the calls of the services behind them.
type cachedSite struct {
	*tenantbookingtest.System
	hotels  *tenantbookingtest.FakeHotels
	guest   *tenantbookingtest.Guest
	tenants *hotel.Tenants
	fronts  *hotel.Storefronts
	rooms   *hotel.Rooms
	failing atomic.Bool
	asked   atomic.Int64 // calls of the tenant service
}

func openCachedSite(t *testing.T, fs ...fn.Function) *cachedSite {
	t.Helper()
	system, hotels := tenantbookingtest.BuildWithHotels(t, append(funnel(), fs...)...)
	s := &cachedSite{System: system, hotels: hotels, tenants: hotel.OpenTenants(system.Env), fronts: hotel.OpenStorefronts(system.Env),
		rooms: hotel.OpenRooms(system.Env)}
	s.guest = system.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	s.guest.Must(http.StatusOK, "POST", "/draft/"+s.guest.Draft.String()+"/confirm", nil)
	system.Platform.Change(func() {
		system.Platform.Rejects = func(r *http.Request) (int, string) {
			if strings.HasPrefix(r.URL.Path, "/tenant/") {
				s.asked.Add(1)
			}
			if s.failing.Load() {
				return http.StatusServiceUnavailable, "GENERAL.UNAVAILABLE"
			}
			return 0, ""
		}
	})
	return s
}

// fail makes all services fail.
func (s *cachedSite) fail() {
	s.failing.Store(true)
	for _, service := range []string{"theme", "property", "inventory", "pricing"} {
		s.hotels.SetBehavior(service, upstreamtest.Failing)
	}
}

// calls returns the number of calls of a service.
func (s *cachedSite) calls(service string) int {
	if service == "tenant" {
		return int(s.asked.Load())
	}
	return s.hotels.Calls(service)
}

// effects are the caches in the order in which misses reads them.
var effects = []string{"slug", "theme", "policies", "properties", "property", "availability", "cheapest", "availability of another month"}

// misses reads every cache, and returns the names of those whose service was called. Every cache must return its value.
func (s *cachedSite) misses(t *testing.T) (missed []string) {
	t.Helper()
	tenant, now := s.Platform.Tenants[0], s.Env.Now()
	measure := func(read func() error, caches map[string]string) {
		before := map[string]int{}
		for service := range caches {
			before[service] = s.calls(service)
		}
		check.NoError(t, read(), "%s", fmt.Sprint(caches))
		for service, name := range caches {
			if s.calls(service) > before[service] {
				missed = append(missed, name)
			}
		}
	}
	measure(func() error { _, err := s.tenants.Find(t.Context(), tenant.Slug); return err }, map[string]string{"tenant": "slug"})
	measure(func() error {
		check.Equal(t, s.fronts.Compose(t.Context(), tenant.ID).Missing, nil, "missing parts of the bootstrap")
		return nil
	}, map[string]string{"theme": "theme", "property": "policies"})
	measure(func() error { _, _, err := s.fronts.Properties(t.Context(), tenant.ID); return err }, map[string]string{"property": "properties"})
	find := func(days int) func() error {
		return func() error {
			found, err := s.rooms.Find(t.Context(), s.hotels.Search(now, days))
			check.Equal(t, found.Missing, nil, "rooms in %d days", days)
			return err
		}
	}
	measure(find(0), map[string]string{"property": "property", "inventory": "availability", "pricing": "cheapest"})
	measure(find(70), map[string]string{"inventory": "availability of another month"})
	return missed
}

// TestEvents_exactEffects delivers each consumed event. The caches that the event specification names must miss, and all others
// must hit. If every service fails right after the event, the last values are served (stale-if-error).
func TestEvents_exactEffects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		event   fn.Function
		payload func(*cachedSite, time.Time) map[string]any
		missing []string
	}{
		{themepublished.Function, func(_ *cachedSite, now time.Time) map[string]any {
			return map[string]any{"themeId": "thm_01J8KABG00000000000000000A", "publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": now}
		}, []string{"theme"}},
		{configupdated.Function, func(_ *cachedSite, now time.Time) map[string]any {
			return map[string]any{"configVersion": 2, "changedKeys": []string{"currencies"}, "updatedAt": now}
		}, []string{"slug", "policies", "properties"}},
		{tenantsuspended.Function, func(_ *cachedSite, now time.Time) map[string]any {
			return map[string]any{"reason": "unpaid", "suspendedAt": now}
		}, []string{"slug", "policies", "properties"}},
		{tenantreinstated.Function, func(_ *cachedSite, now time.Time) map[string]any {
			return map[string]any{"reinstatedAt": now}
		}, []string{"slug", "policies", "properties"}},
		{rateplanpublished.Function, func(s *cachedSite, now time.Time) map[string]any {
			return map[string]any{"propertyId": s.hotels.Property.ID, "ratePlanId": s.hotels.Property.RatePlans[0].ID, "version": 2, "publishedAt": now}
		}, []string{"property", "availability", "cheapest", "availability of another month"}},
		{allocationcommitted.Function, func(s *cachedSite, now time.Time) map[string]any {
			search := s.hotels.Search(now, 0)
			return map[string]any{"propertyId": search.Property, "allocationId": id.New[id.Allocation](), "reservationId": id.New[id.Reservation](),
				"roomTypeId": s.hotels.Property.RoomTypes[0].ID, "stayWindow": map[string]any{"start": search.Stay.CheckIn, "end": search.Stay.CheckOut},
				"units": 1, "committedAt": now}
		}, []string{"availability"}},
		{sessionrevoked.Function, func(s *cachedSite, now time.Time) map[string]any {
			return map[string]any{"sessionId": s.guest.Session.ID, "reason": "signed-out-everywhere", "revokedAt": now}
		}, nil},
	} {
		for _, failing := range []bool{false, true} {
			name := strings.TrimPrefix(test.event.Spec.Name, "tenantbooking-")
			if failing {
				name += "_services_fail"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := openCachedSite(t, test.event)
				s.misses(t)
				check.MustEqual(t, s.misses(t), nil, "before the event: missed")
				now := s.Env.Now()
				payload := test.payload(s, now)
				payload["tenantId"] = s.Platform.Tenants[0].ID
				if failing {
					s.fail()
				}
				s.Deliver(test.event, s.Platform.Tenants[0].ID, payload, now)
				missed := map[string]bool{}
				for _, name := range s.misses(t) {
					missed[name] = true
				}
				wanted := map[string]bool{}
				for _, name := range test.missing {
					wanted[name] = true
				}
				state := map[bool]string{true: "MISS", false: "HIT"}
				for _, name := range effects {
					check.Equal(t, missed[name], wanted[name], "%s", state[missed[name]])
				}
			})
		}
	}
}

// TestThemePublished_themeServiceFails serves the last theme for thirty minutes after its expiry, and no theme after that.
func TestThemePublished_themeServiceFails(t *testing.T) {
	t.Parallel()
	s := openCachedSite(t, themepublished.Function)
	tenant := s.Platform.Tenants[0].ID
	s.misses(t)
	s.hotels.SetBehavior("theme", upstreamtest.Failing)
	s.Deliver(themepublished.Function, tenant, map[string]any{"tenantId": tenant, "themeId": "thm_01J8KABG00000000000000000A",
		"publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": s.Env.Now()}, s.Env.Now())
	for _, step := range []struct {
		after time.Duration
		shown bool
	}{{0, true}, {30 * time.Minute, true}, {6 * time.Minute, false}} {
		s.DB.Advance(step.after)
		check.Equal(t, s.fronts.Compose(t.Context(), tenant).Theme != nil, step.shown, "%v later: the theme is shown", step.after)
	}
}
