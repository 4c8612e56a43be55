package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/emulated"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// timeout limits every wait of a test.
const timeout = 60 * time.Second

const (
	captured        = "melmastoon.payment.transaction.captured.v1"
	deadLetterTopic = "reservation.captured.dlq"
)

var capturedV1 = event.Subject{Name: captured, Version: 1, Producer: "payment-service", SchemaURI: "https://schemas.melmastoon.io/payment/transaction/captured/v1.json"}

// A consumer is a function that dead-letters events until it is fixed. Then it processes each once.
type consumer struct {
	deadLetters, fails atomic.Bool

	mu      sync.Mutex
	pushes  int
	effects []id.Event // in their order
}

func (c *consumer) received() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pushes
}

func (c *consumer) processed() []id.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.effects)
}

func (c *consumer) function() fn.Function {
	spec := fn.Spec{Name: "reservation-consumer", Subject: captured, Uses: fn.Uses{fn.Postgres}, DeadLetter: deadLetterTopic, Attempts: 5}
	return fn.Event(spec, func(e env.Env) (fn.Handle[struct{}], error) {
		db := postgres.Open(e, "reservation")
		return func(ctx context.Context, e event.Event[struct{}]) error {
			c.mu.Lock()
			c.pushes++
			c.mu.Unlock()
			switch {
			case c.deadLetters.Load():
				return fn.DeadLetter(fmt.Errorf("consumer: no reservation for %s", e.Envelope.EventID))
			case c.fails.Load():
				return errors.New("consumer: disk full")
			}
			return inbox.Once(ctx, db, e.Delivery, func(postgres.Tx) error {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.effects = append(c.effects, e.Envelope.EventID)
				return nil
			})
		}, nil
	})
}

// A counter consumes the same subject without an inbox: it counts every delivery.
func counter(count *atomic.Int64) fn.Function {
	spec := fn.Spec{Name: "sandbox-counter", Subject: captured, Uses: fn.Uses{}, DeadLetter: "sandbox.captured.dlq", Attempts: 5}
	return fn.Event(spec, func(env.Env) (fn.Handle[struct{}], error) {
		return func(context.Context, event.Event[struct{}]) error { count.Add(1); return nil }, nil
	})
}

// A fixture is a running cloud with both functions, and the job beside it.
type fixture struct {
	t        testing.TB
	db       *pgtest.Database
	cloud    *cloud.Cloud
	consumer *consumer
	seen     atomic.Int64 // by the counter
	env      env.Env      // of the job
}

// buses are the buses that the job is tested on.
var buses = map[string]func(testing.TB, *pgtest.Database, *cloud.Config) env.Env{
	"on the bus": func(_ testing.TB, db *pgtest.Database, _ *cloud.Config) env.Env {
		e := db.Env()
		b := bus.Open(e, postgres.Open(e, "bus"))
		return topic.PullerKey.With(topic.PublisherKey.With(e, b), b)
	},
	"on Pub/Sub's emulator": func(t testing.TB, _ *pgtest.Database, c *cloud.Config) env.Env {
		address, project := emulatortest.PubSub(t), emulatortest.Name()
		c.Env = c.Env.With("PUBSUB_EMULATOR_HOST", address).With("GOOGLE_CLOUD_PROJECT", project)
		c.Messages = func(e env.Env) (cloud.Messages, error) { return emulated.Open(e) }
		e := env.Of(map[string]string{"PUBSUB_EMULATOR_HOST": address, "GOOGLE_CLOUD_PROJECT": project})
		t.Cleanup(func() { _ = e.Close(context.Background()) })
		b := pubsub.Open(e)
		return topic.PullerKey.With(topic.PublisherKey.With(e, b), b)
	},
}

// everywhere runs a test on each bus.
func everywhere(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	for name, on := range buses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &fixture{t: t, db: pgtest.New(t), consumer: &consumer{}}
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			check.Must(t, err)
			c := cloud.Config{Env: w.db.Env(), Functions: []fn.Function{w.consumer.function(), counter(&w.seen)}, Listener: listener, Secret: make(cloud.Secret, 32), Log: t.Output()}
			e := on(t, w.db, &c)
			if w.cloud, err = cloud.Start(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { check.NoError(t, w.cloud.Close()) })
			w.env = e.With("DEAD_LETTERS", Listeners(w.cloud.Subscriptions()))
			test(t, w)
		})
	}
}

// publish publishes n events of a key and returns their ids.
func (w *fixture) publish(key string, n int) (published []id.Event) {
	w.t.Helper()
	var messages []topic.Message
	tenant := id.New[id.Tenant]()
	for version := range n {
		raw, err := event.Draft{Subject: capturedV1, Tenant: tenant, OrderingKey: tenant.String() + ":" + key, AggregateVersion: version + 1, Payload: map[string]string{
			"tenantId": tenant.String(), "paymentIntentId": id.New[id.Intent]().String(), "reservationId": id.New[id.Reservation]().String(),
			"method": "card", "provider": "bank", "amountMicro": "1", "currency": "AFN", "capturedAt": "2031-03-21T12:00:00Z",
		}}.Seal(w.cloud.Env().Now(), event.Origin{RequestID: "req_1"})
		check.Must(w.t, err)
		data := check.Got(raw.Data()).Must(w.t)
		a := raw.Attributes()
		messages, published = append(messages, topic.Message{Topic: captured, OrderingKey: a["ce-partitionkey"], Attributes: a, Data: data}), append(published, raw.Envelope.EventID)
	}
	check.Must(w.t, errors.Join(w.cloud.Messages().Publish(w.t.Context(), messages)...))
	return published
}

// call runs the job, fails the test unless its exit code is code, and returns its output.
func (w *fixture) call(code int, args ...string) string {
	w.t.Helper()
	return w.callOn(w.env, code, args...)
}

func (w *fixture) callOn(e env.Env, code int, args ...string) string {
	w.t.Helper()
	var out, errs bytes.Buffer
	err := Run(w.t.Context(), e, args, &out)
	if (err != nil) != (code != 0) {
		w.t.Errorf("%v: want exit %d, got %v\n%s%s", args, code, err, &out, &errs)
	}
	return out.String()
}

// until waits for a condition. If time is manual, it advances it: rejected messages are pushed again.
func (w *fixture) until(what string, yes func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), timeout)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			w.t.Fatalf("not within %v: %s; the consumer received %d and processed %d; the job lists\n%s", timeout, what, w.consumer.received(), len(w.consumer.processed()), w.call(0))
		case <-look.C:
		}
	}
}

// backlog waits until n messages are on the topic, and returns the job's list of them.
func (w *fixture) backlog(n int) (listed string) {
	w.t.Helper()
	w.until(fmt.Sprint(n, " messages"), func() bool {
		listed = w.call(0, deadLetterTopic)
		return strings.HasPrefix(listed, fmt.Sprintf("%s: %d of %s to reservation-consumer", deadLetterTopic, n, captured))
	})
	return listed
}

// says fails the test unless the output contains all texts.
func (w *fixture) says(stdout string, all ...string) {
	w.t.Helper()
	check.Contains(w.t, stdout, all...)
}
