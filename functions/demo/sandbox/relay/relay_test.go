package relay_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/relay"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

func TestRelay(t *testing.T) {
	t.Parallel()
	e := pgtest.New(t).Env()
	if err := demo.Furnish(t.Context(), e, 2); err != nil { // the example hotels
		t.Fatal(err)
	}
	hotel, today := demo.KabulGrand, stay.DateOf(e.Now())
	_, err := inventory.Open(e).Hold(t.Context(), inventory.Hold{ // without a publisher
		Tenant: hotel.Tenant, Property: hotel.Property, Reservation: id.New[id.Reservation](), TTL: 10 * time.Minute,
		Stay:   stay.Window{Start: today.AddDays(7), End: today.AddDays(9)},
		Claims: []inventory.Claim{{Allocation: id.New[id.Allocation](), RoomType: hotel.Rooms[0].ID, Units: 1}},
	})
	check.Must(t, err)
	var world topictest.Memory
	front := fntest.Open(t, topic.PublisherKey.With(e, &world), relay.Function)
	for range 2 {
		front.Tick(relay.Function).Must(t, http.StatusNoContent)
	}
	messages := world.Messages()
	check.MustEqual(t, len(messages), 1)
	check.Equal(t, messages[0].Topic, inventory.AllocationCommittedV1.Name)
}
