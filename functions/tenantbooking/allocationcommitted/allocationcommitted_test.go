package allocationcommitted_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/allocationcommitted"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
)

// taken returns the event of an allocation for the nights of a search.
func taken(s hotel.Search, room id.RoomType) map[string]any {
	return map[string]any{"tenantId": s.Tenant, "propertyId": s.Property, "allocationId": id.New[id.Allocation](), "reservationId": id.New[id.Reservation](),
		"roomTypeId": room, "stayWindow": map[string]any{"start": s.Stay.CheckIn, "end": s.Stay.CheckOut}, "units": 1, "committedAt": "2026-01-01T00:00:00Z"}
}

func TestHandle_invalidatesMonthsOfStay(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, allocationcommitted.Function)
	rooms, room := hotel.OpenRooms(system.Env), hotels.Property.RoomTypes[0].ID
	soon, later := hotels.Search(system.Env.Now(), 0), hotels.Search(system.Env.Now(), 70)
	left := func(s hotel.Search) int {
		t.Helper()
		found, err := rooms.Find(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return found.RoomsLeft[room]
	}
	if left(soon) != 3 || left(later) != 3 {
		t.Fatal("at first there are three")
	}
	hotels.Change(1, 2, 100_000_000)
	system.Deliver(allocationcommitted.Function, soon.Tenant, taken(soon, room), system.Env.Now())
	if now, then := left(soon), left(later); now != 2 || then != 3 {
		t.Errorf("soon there are %d, want 2; later %d, want 3 as remembered", now, then)
	}
}

// The response with the old number is still in progress when a room is taken: it must not stay in the cache.
func TestHandle_lateNumberNotCached(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, allocationcommitted.Function)
	rooms, search := hotel.OpenRooms(system.Env), hotels.Search(system.Env.Now(), 0)
	asked, answer := make(chan struct{}), make(chan struct{})
	hotels.Before(func(shop string) {
		if shop == "inventory" {
			close(asked)
			<-answer
		}
	})
	late := make(chan hotel.Result)
	go func() {
		found, err := rooms.Find(t.Context(), search)
		if err != nil {
			t.Error(err)
		}
		late <- found
	}()
	<-asked
	hotels.Before(func(string) {})
	hotels.Change(1, 0, 100_000_000)
	system.Deliver(allocationcommitted.Function, search.Tenant, taken(search, hotels.Property.RoomTypes[0].ID), system.Env.Now())
	close(answer)
	if f := <-late; f.RoomsLeft[hotels.Property.RoomTypes[0].ID] != 3 {
		t.Fatalf("the test did not race: %+v", f)
	}
	found, err := rooms.Find(t.Context(), search)
	if err != nil || found.RoomsLeft[hotels.Property.RoomTypes[0].ID] != 0 {
		t.Errorf("%d rooms stayed, %v", found.RoomsLeft[hotels.Property.RoomTypes[0].ID], err)
	}
}
