// Package emulated adds the missing features to Google's Pub/Sub emulator, for local runs and tests.
//
// The emulator pushes in order and retries failed pushes. But it does not sign pushes, ignores filters, follows redirects,
// takes 202 for a failure and sends no delivery attempt; and a subscription with both ordering keys and a dead-letter topic
// stops forever at its first dead-lettered message. So the emulator pushes to an HTTP proxy in this process, which adds these
// features and forwards the push. Two limitations remain: retries come after about a second regardless of the retry policy,
// and messages are lost when the emulator ends.
//
// The conformance tests of the embedded bus pass on the emulator behind this proxy (decision 89).
package emulated

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/push"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

// A Bus represents the topics and subscriptions of a project on an emulator. No other program may create any in that project.
type Bus struct {
	publisher *pubsub.Bus
	admin     *adminClient
	address   string // of the proxy
	pusher    *push.Pusher
	journal   journal
	now       func() time.Time

	mu            sync.Mutex
	topics        map[string]bool
	subscriptions map[string]topic.Subscription
	attempts      map[receipt]int
	owed          map[pendingDelivery]bool

	pushing sync.RWMutex    // read-locked while a push is forwarded
	life    context.Context // of pushes; nil unless Run is active
}

// Open returns the bus on the environment's emulator and starts its proxy, which runs until the environment is closed. Pushes
// carry tokens if e has an identity.Source.
func Open(e env.Env) (*Bus, error) {
	o, err := openAdminClient(e)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	b := &Bus{
		publisher: pubsub.Open(e), admin: o, address: "http://" + listener.Addr().String(), pusher: push.Open(e, http.DefaultMaxIdleConnsPerHost), now: e.Now,
		topics: map[string]bool{}, subscriptions: map[string]topic.Subscription{}, attempts: map[receipt]int{}, owed: map[pendingDelivery]bool{},
	}
	server := &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // until OnClose
	e.OnClose(func(context.Context) error { return errors.Join(server.Close(), o.close()) })
	return b, nil
}

// Publish creates missing topics and publishes the messages.
func (b *Bus) Publish(ctx context.Context, messages []topic.Message) []error {
	sent := make([]topic.Message, len(messages))
	for i, m := range messages {
		if err := b.makeTopic(ctx, m.Topic); err != nil && topic.Check(m) == nil {
			return slices.Repeat([]error{err}, len(messages))
		}
		sent[i] = b.track(m)
	}
	errs := b.publisher.Publish(ctx, sent)
	for i, err := range errs {
		if err != nil {
			b.untrack(sent[i])
		} else {
			b.journal.write(bus.Stored{Message: messages[i], PublishedAt: b.now()})
		}
	}
	return errs
}

// Run forwards pushes until ctx ends; then it waits for those in flight.
func (b *Bus) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	b.admit(life)
	<-ctx.Done()
	timer := time.AfterFunc(grace, end)
	defer timer.Stop()
	b.admit(nil) //nolint:staticcheck // rejects further pushes
	return ctx.Err()
}

// grace is the time for pushes in flight when Run stops.
const grace = 5 * time.Second

// admit waits for the pushes in flight and sets the context of further pushes; nil rejects them.
func (b *Bus) admit(life context.Context) {
	b.pushing.Lock()
	defer b.pushing.Unlock()
	b.life = life
}
