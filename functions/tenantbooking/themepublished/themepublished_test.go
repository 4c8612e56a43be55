package themepublished_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func published(tenant id.Tenant) any {
	return map[string]any{"tenantId": tenant, "themeId": "thm_01J8KABG00000000000000000A", "publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": "2026-01-01T00:00:00Z"}
}

func TestThemePublished_invalidatesTheme(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, themepublished.Function)
	fronts, tenant := hotel.OpenStorefronts(system.Env), system.Platform.Tenants[0].ID
	check.MustEqual(t, fronts.Compose(t.Context(), tenant).Theme.Version, 1)
	hotels.Change(2, 3, 1)
	system.Deliver(themepublished.Function, system.Platform.Tenants[1].ID, published(system.Platform.Tenants[1].ID), system.Env.Now())
	want := func(when string, version int, state cache.State) {
		t.Helper()
		f := fronts.Compose(t.Context(), tenant)
		check.Equal(t, f.Theme.Version, version, "%s: version of the theme", when)
		check.Equal(t, f.Cache, state, "%s: cache state", when)
	}
	want("after the event of another hotel", 1, cache.Hit)
	system.Deliver(themepublished.Function, tenant, published(tenant), system.Env.Now())
	want("after the event", 2, cache.Miss)
}

// The response with the old theme is still in progress when the new one is published: it must not stay in the cache.
func TestThemePublished_lateThemeNotCached(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, themepublished.Function)
	fronts, tenant := hotel.OpenStorefronts(system.Env), system.Platform.Tenants[0].ID
	asked, answer := make(chan struct{}), make(chan struct{})
	hotels.Before(func(service string) {
		if service == "theme" {
			close(asked)
			<-answer
		}
	})
	late := make(chan hotel.Storefront)
	go func() { late <- fronts.Compose(t.Context(), tenant) }()
	<-asked // it will return version 1
	hotels.Before(func(string) {})
	hotels.Change(2, 3, 1)
	system.Deliver(themepublished.Function, tenant, published(tenant), system.Env.Now())
	close(answer)
	if f := <-late; f.Theme == nil || f.Theme.Version != 1 {
		t.Fatalf("the test did not race: %+v", f)
	}
	check.Equal(t, fronts.Compose(t.Context(), tenant).Theme.Version, 2, "version of the theme")
}
