package relay

import (
	"testing"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

func TestRelay(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]()) // without a publisher
	memory := &topictest.Memory{}
	tick, err := New(topic.PublisherKey.With(db.Env(), memory))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := tick(t.Context(), db.Env().Now()); err != nil {
			t.Fatal(err)
		}
	}
	var topics []string
	for _, m := range memory.Messages() {
		topics = append(topics, m.Topic)
	}
	if len(topics) != 3 { // requested, created, held
		t.Errorf("published %v", topics)
	}
}
