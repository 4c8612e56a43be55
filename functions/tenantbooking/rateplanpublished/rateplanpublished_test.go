package rateplanpublished_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/rateplanpublished"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
)

func TestHandle_invalidatesProperty(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, rateplanpublished.Function)
	rooms, search := hotel.OpenRooms(system.Env), hotels.Search(system.Env.Now(), 0)
	if found, err := rooms.Find(t.Context(), search); err != nil || found.Offers[0].Rates[0].Total != 200_000_000 {
		t.Fatalf("got %+v, %v", found, err)
	}
	hotels.Change(1, 3, 150_000_000)
	publish := func(p id.Property) {
		system.Deliver(rateplanpublished.Function, search.Tenant, map[string]any{"tenantId": search.Tenant, "propertyId": p,
			"ratePlanId": hotels.Property.RatePlans[0].ID, "version": 2, "publishedAt": system.Env.Now()}, system.Env.Now())
	}
	publish(id.New[id.Property]())
	if found, err := rooms.Find(t.Context(), search); err != nil || found.Cache != "HIT" {
		t.Errorf("after another property's: %+v, %v", found, err)
	}
	publish(search.Property)
	if found, err := rooms.Find(t.Context(), search); err != nil || found.Offers[0].Rates[0].Total != 300_000_000 {
		t.Errorf("after its own: %+v, %v", found, err)
	}
}
