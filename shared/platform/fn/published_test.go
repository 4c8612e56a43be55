package fn_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

var released = event.Subject{Name: "melmastoon.inventory.allocation.failed.v1", Version: 1, Producer: "inventory-service"}

// relaying is a relay of the sandbox's outbox.
var relaying = fn.Scheduled(fn.Spec{Name: "test-relay", Schedule: "* * * * *", Publishes: fn.Subjects{released}}, func(e env.Env) (fn.Tick, error) {
	return outbox.Open(e, postgres.Open(e, "sandbox")).Tick, nil
})

// TestPublished_lagInLog holds the line to the members that metrics are made of, by their names.
func TestPublished_lagInLog(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	wait(t, db.Env(), "k", "l")
	db.Advance(time.Minute)
	wait(t, db.Env(), "m")
	e, issuer := fntest.Surround(t, topic.PublisherKey.With(db.Env(), &topictest.Memory{}))
	for _, want := range []string{`"severity":"INFO",.*,"outbox":\{"published":3,"late":2,"slowestSeconds":[67]\d(\.\d{1,3})?\},`, ""} {
		t.Run(fmt.Sprintf("%q", want), func(t *testing.T) {
			j := &journal{}
			front := fntest.Behind(t, observe.LogKey.With(e, observe.To(j)), issuer, relaying)
			if a := front.Tick(relaying); a.Status != 204 {
				t.Fatalf("got %d: %s", a.Status, a.Body)
			}
			line, text := j.only(t)
			if want == "" && line["outbox"] != nil || !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("got %s, want %s", text, want)
			}
		})
	}
}

// wait has events wait for a relay.
func wait(t *testing.T, e env.Env, keys ...string) {
	t.Helper()
	db, tenant := postgres.Open(e, "sandbox"), id.New[id.Tenant]()
	var waiting []event.Draft
	for _, key := range keys {
		waiting = append(waiting, event.Draft{Subject: released, Tenant: tenant, OrderingKey: key, AggregateVersion: 1, Payload: map[string]any{
			"tenantId": tenant, "propertyId": id.New[id.Property](), "allocationId": id.New[id.Allocation](),
			"reservationId": id.New[id.Reservation](), "roomTypeId": id.New[id.RoomType](), "units": 1, "reasonCode": "expired",
			"stayWindow": map[string]string{"start": "2026-05-01", "end": "2026-05-03"}, "failedAt": "2026-04-30T10:00:00Z",
		}})
	}
	err := db.InTx(t.Context(), func(tx postgres.Tx) error { return outbox.Open(e, db).Append(t.Context(), tx, waiting...) })
	check.Must(t, err)
}
