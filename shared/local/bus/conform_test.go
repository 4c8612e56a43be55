package bus_test

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// stamps are tokens that only say for whom they are.
type stamps struct{}

func (stamps) Token(_ context.Context, audience string) (string, error) {
	return "token for " + audience, nil
}

func open(e env.Env) *bus.Bus {
	return bus.Open(identity.SourceKey.With(e, stamps{}), postgres.Open(e, "bus"))
}

func TestBusConforms(t *testing.T) {
	t.Parallel()
	topictest.Conform(t, func(t testing.TB) topictest.Setup {
		d := pgtest.New(t)
		return topictest.Setup{
			Open:    func() topictest.Driver { return open(d.Env()) },
			Advance: d.Advance,
			Settled: func(t testing.TB) {
				until(t, d, `SELECT NOT EXISTS (SELECT FROM bus.deliveries WHERE pusher IS NOT NULL)`)
			},
			Token: func(audience string) string { return "token for " + audience },
		}
	})
}

func TestBus_publisherConformance(t *testing.T) {
	t.Parallel()
	b := open(pgtest.New(t).Env())
	topictest.ConformPublisher(t, b, func() []topic.Message { return published(t, b) })
}

func TestBus_pullerConformance(t *testing.T) {
	t.Parallel()
	topictest.ConformPuller(t, func(t testing.TB) topictest.PullSetup {
		b := open(pgtest.New(t).Env())
		err := b.Subscribe(t.Context(), []topic.Subscription{{Name: "s", Topic: "orders", Endpoint: "http://localhost", DeadLetter: topictest.DeadLetters, Attempts: 5}})
		if err != nil {
			t.Fatal(err)
		}
		return topictest.PullSetup{Puller: b, Publish: func(t testing.TB, messages ...topic.Message) {
			if err := errors.Join(b.Publish(t.Context(), messages)...); err != nil {
				t.Fatal(err)
			}
		}}
	})
}
