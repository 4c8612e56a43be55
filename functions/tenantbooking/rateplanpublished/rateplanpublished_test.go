package rateplanpublished_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/rateplanpublished"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestRatePlanPublished_invalidatesProperty(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, rateplanpublished.Function)
	rooms, search := hotel.OpenRooms(system.Env), hotels.Search(system.Env.Now(), 0)
	find := func() (total money.Micro, state cache.State) {
		t.Helper()
		found, err := rooms.Find(t.Context(), search)
		check.Must(t, err)
		return found.Offers[0].Rates[0].Total, found.Cache
	}
	if got, _ := find(); got != 200_000_000 {
		t.Fatalf("before the event: got %d, want 200,000,000", got)
	}
	hotels.Change(1, 3, 150_000_000)
	publish := func(p id.Property) {
		system.Deliver(rateplanpublished.Function, search.Tenant, map[string]any{"tenantId": search.Tenant, "propertyId": p,
			"ratePlanId": hotels.Property.RatePlans[0].ID, "version": 2, "publishedAt": system.Env.Now()}, system.Env.Now())
	}
	publish(id.New[id.Property]())
	if _, got := find(); got != cache.Hit {
		t.Errorf("after the event of another property: got cache state %s, want %s", got, cache.Hit)
	}
	publish(search.Property)
	if got, _ := find(); got != 300_000_000 {
		t.Errorf("after the event: got %d, want 300,000,000", got)
	}
}
