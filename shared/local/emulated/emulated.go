// Package emulated is Google's Pub/Sub emulator made whole, for local runs and tests.
//
// The emulator pushes in order and repeats what has failed. But it signs nothing, ignores filters, follows redirects, takes
// 202 for a refusal and tells no attempt; and a subscription that has both ordering keys and dead letters stops for good at
// its first dead letter. So it pushes to a gate in this process, which does all of that and passes the push on. What
// cannot be made up for: a repeat comes after about a second, whatever was asked for, and the emulator forgets when it ends.
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

// A Bus is the topics and subscriptions of a project on an emulator. They are all its own: nobody else makes any there.
type Bus struct {
	publisher *pubsub.Bus
	office    *adminClient
	address   string // of the gate
	pusher    *push.Pusher
	journal   journal
	now       func() time.Time

	mu            sync.Mutex
	topics        map[string]bool
	subscriptions map[string]topic.Subscription
	attempts      map[receipt]int
	owed          map[debt]bool

	pushing sync.RWMutex    // read-locked while a push is passed on
	life    context.Context // of pushes; nil while nobody runs
}

// Open returns the bus on the environment's emulator and opens its gate, until the environment is closed. Pushes carry
// tokens of the identity.Source that was given to e, if one was.
func Open(e env.Env) (*Bus, error) {
	o, err := openOffice(e)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	b := &Bus{
		publisher: pubsub.Open(e), office: o, address: "http://" + listener.Addr().String(), pusher: push.Open(e, http.DefaultMaxIdleConnsPerHost), now: e.Now,
		topics: map[string]bool{}, subscriptions: map[string]topic.Subscription{}, attempts: map[receipt]int{}, owed: map[debt]bool{},
	}
	server := &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // until it is closed
	e.OnClose(func(context.Context) error { return errors.Join(server.Close(), o.close()) })
	return b, nil
}

// Publish publishes, after having made the topics that are missing.
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

// Run lets pushes through until ctx ends; then it lets those in flight finish.
func (b *Bus) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	b.admit(life)
	<-ctx.Done()
	timer := time.AfterFunc(grace, end)
	defer timer.Stop()
	b.admit(nil)
	return ctx.Err()
}

// grace is for pushes in flight when Run is told to stop.
const grace = 5 * time.Second

// admit waits for the pushes in flight.
func (b *Bus) admit(life context.Context) {
	b.pushing.Lock()
	defer b.pushing.Unlock()
	b.life = life
}
