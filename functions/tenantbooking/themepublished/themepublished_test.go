package themepublished_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
	"melmastoon.ghasi.io/shared/id"
)

func published(tenant id.Tenant) any {
	return map[string]any{"tenantId": tenant, "themeId": "thm_01J8KABG00000000000000000A", "publishedVersion": "thv_01J8KABG00000000000000000A", "publishedAt": "2026-01-01T00:00:00Z"}
}

func TestHandle_invalidatesTheme(t *testing.T) {
	t.Parallel()
	street, shops := tenantbookingtest.Shopping(t, themepublished.Function)
	fronts, tenant := hotel.OpenStorefronts(street.Env), street.Town.Tenants[0].ID
	if f := fronts.Compose(t.Context(), tenant); f.Theme.Version != 1 {
		t.Fatalf("got %+v", f)
	}
	shops.Change(2, 3, 1)
	street.Tell(themepublished.Function, street.Town.Tenants[1].ID, published(street.Town.Tenants[1].ID), street.Env.Now())
	if f := fronts.Compose(t.Context(), tenant); f.Theme.Version != 1 || f.Cache != "HIT" {
		t.Errorf("after another hotel's: %+v", f)
	}
	street.Tell(themepublished.Function, tenant, published(tenant), street.Env.Now())
	if f := fronts.Compose(t.Context(), tenant); f.Theme.Version != 2 || f.Cache != "MISS" {
		t.Errorf("after its own: %+v", f)
	}
}

// The response with the old theme is still in progress when the new one is published: it must not stay in the cache.
func TestHandle_lateThemeNotCached(t *testing.T) {
	t.Parallel()
	street, shops := tenantbookingtest.Shopping(t, themepublished.Function)
	fronts, tenant := hotel.OpenStorefronts(street.Env), street.Town.Tenants[0].ID
	asked, answer := make(chan struct{}), make(chan struct{})
	shops.Before(func(shop string) {
		if shop == "theme" {
			close(asked)
			<-answer
		}
	})
	late := make(chan hotel.Storefront)
	go func() { late <- fronts.Compose(t.Context(), tenant) }()
	<-asked // it will return version 1
	shops.Before(func(string) {})
	shops.Change(2, 3, 1)
	street.Tell(themepublished.Function, tenant, published(tenant), street.Env.Now())
	close(answer)
	if f := <-late; f.Theme == nil || f.Theme.Version != 1 {
		t.Fatalf("the test did not race: %+v", f)
	}
	if f := fronts.Compose(t.Context(), tenant); f.Theme.Version != 2 {
		t.Errorf("version %d stayed", f.Theme.Version)
	}
}
