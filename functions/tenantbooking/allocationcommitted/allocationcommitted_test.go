package allocationcommitted_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/allocationcommitted"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// committed returns the event of an allocation for the nights of a search.
func committed(s hotel.Search, room id.RoomType) map[string]any {
	return map[string]any{"tenantId": s.Tenant, "propertyId": s.Property, "allocationId": id.New[id.Allocation](), "reservationId": id.New[id.Reservation](),
		"roomTypeId": room, "stayWindow": map[string]any{"start": s.Stay.CheckIn, "end": s.Stay.CheckOut}, "units": 1, "committedAt": "2026-01-01T00:00:00Z"}
}

func TestAllocationCommitted_invalidatesMonthsOfStay(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, allocationcommitted.Function)
	rooms, room := hotel.OpenRooms(system.Env), hotels.Property.RoomTypes[0].ID
	soon, later := hotels.Search(system.Env.Now(), 0), hotels.Search(system.Env.Now(), 70)
	left := func(s hotel.Search) int {
		t.Helper()
		found, err := rooms.Find(t.Context(), s)
		check.Must(t, err)
		return found.RoomsLeft[room]
	}
	for name, s := range map[string]hotel.Search{"soon": soon, "later": later} {
		t.Run(name, func(t *testing.T) {
			check.Equal(t, left(s), 3, "before the event: rooms")
		})
	}
	hotels.Change(1, 2, 100_000_000)
	system.Deliver(allocationcommitted.Function, soon.Tenant, committed(soon, room), system.Env.Now())
	check.Equal(t, left(soon), 2, "rooms for the stay of the event")
	check.Equal(t, left(later), 3, "rooms in another month")
}

// The response with the old number is still in progress when a room is taken: it must not stay in the cache.
func TestAllocationCommitted_lateNumberNotCached(t *testing.T) {
	t.Parallel()
	system, hotels := tenantbookingtest.BuildWithHotels(t, allocationcommitted.Function)
	rooms, search := hotel.OpenRooms(system.Env), hotels.Search(system.Env.Now(), 0)
	asked, answer := make(chan struct{}), make(chan struct{})
	hotels.Before(func(service string) {
		if service == "inventory" {
			close(asked)
			<-answer
		}
	})
	late := make(chan hotel.Result)
	go func() {
		found, err := rooms.Find(t.Context(), search)
		check.NoError(t, err)
		late <- found
	}()
	<-asked
	hotels.Before(func(string) {})
	hotels.Change(1, 0, 100_000_000)
	system.Deliver(allocationcommitted.Function, search.Tenant, committed(search, hotels.Property.RoomTypes[0].ID), system.Env.Now())
	close(answer)
	check.MustEqual(t, (<-late).RoomsLeft[hotels.Property.RoomTypes[0].ID], 3, "the test did not race")
	found, err := rooms.Find(t.Context(), search)
	check.Must(t, err)
	check.Equal(t, found.RoomsLeft[hotels.Property.RoomTypes[0].ID], 0)
}
