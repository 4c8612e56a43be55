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
	if err != nil {
		t.Fatal(err)
	}
	var world topictest.Memory
	front := fntest.Open(t, topic.PublisherKey.With(e, &world), relay.Function)
	for range 2 {
		if got := front.Tick(relay.Function); got.Status != http.StatusNoContent {
			t.Fatalf("tick: %d %s", got.Status, got.Body)
		}
	}
	messages := world.Messages()
	if len(messages) != 1 {
		t.Fatalf("len(messages) = %d, want 1", len(messages))
	}
	if messages[0].Topic != inventory.AllocationCommittedV1.Name {
		t.Errorf("messages[0].Topic = %q, want %q", messages[0].Topic, inventory.AllocationCommittedV1.Name)
	}
}
