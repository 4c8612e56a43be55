// Package topic defines messages, publishers to topics, and push subscriptions over HTTP.
//
// It has the interfaces only. The code that builds a binary selects the driver, such as shared/local/bus on Postgres.
package topic

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Attributes of a replayed message: one that is published again after a subscription dead-lettered it. It keeps them if it is
// dead-lettered again.
const (
	ReplayTo = "ce-" + event.ReplayTo // the only subscription that receives it; others skip it
	Replays  = "ce-" + event.Replays  // number of replays, including this one
)

// Attributes of a message that the bus dead-lettered after too many attempts. Two are Pub/Sub's own; our local buses add the
// third.
const (
	RefusedBy  = "CloudPubSubDeadLetterSourceSubscription"
	Refusals   = "CloudPubSubDeadLetterSourceDeliveryCount"
	LastAnswer = "melmastoon-last-answer"
)

// A Message is published to a topic. Its attributes become HTTP headers of the push.
type Message struct {
	Topic       string
	OrderingKey string // messages of one topic and key arrive in the order of publishing; if it is empty, in any order
	Attributes  map[string]string
	Data        []byte
}

// A Publisher publishes messages. It returns one error per message, at the same index; nil means that the message is durable.
// Messages of one topic and key keep their order: after a failure the rest of them fail with ErrHeldBack, including those of the
// same call that the driver has already sent. Callers must not publish the same key concurrently.
type Publisher interface {
	Publish(ctx context.Context, messages []Message) []error
}

var (
	// ErrHeldBack is the error of a message that was not tried, because an earlier message of the same key failed.
	ErrHeldBack = errors.New("topic: held back, because an earlier message of the same key failed")

	// ErrRefused is the error of a message that can never be published.
	ErrRefused = errors.New("topic: the message can never be published")
)

// A Puller pulls messages from a subscription without a push endpoint: that of a dead-letter topic, which has the topic's name.
// Pulled messages are leased: no other caller gets them until they are released or the lease ends. Concurrent callers share the
// messages.
type Puller interface {
	// Pull leases the messages that are available at once, at most the given number, in any order. An empty result does not
	// prove that the subscription is empty.
	Pull(ctx context.Context, subscription string, limit int, lease time.Duration) ([]Pulled, error)
	// Acknowledge deletes messages. A message whose lease has ended may remain.
	Acknowledge(ctx context.Context, subscription string, receipts []string) error
	// Release makes messages available again at once.
	Release(ctx context.Context, subscription string, receipts []string) error
}

// A Pulled message is leased to its caller. Its Topic is not set.
type Pulled struct {
	Message
	Receipt     string // identifies this lease
	PublishedAt time.Time
}

// A Subscription pushes the messages of a topic to an endpoint, with an identity token for Audience. Status 102, 200, 201, 202
// or 204 within AckDeadline acknowledges a message; any other result is retried after a delay that doubles from MinBackoff to
// MaxBackoff. After Attempts pushes the message goes to the topic DeadLetter, with a new message id.
type Subscription struct {
	Name                   string
	Topic                  string
	Endpoint               string
	Audience               string
	DeadLetter             string            // if it is empty, retries never end
	Filter                 map[string]string // attributes that a message must have to be delivered
	Attempts               int
	MinBackoff, MaxBackoff time.Duration
	AckDeadline            time.Duration
}

// Wants reports whether a message with these attributes matches the subscription.
func (s Subscription) Wants(attribute func(name string) string) bool {
	if to := attribute(ReplayTo); to != "" && to != s.Name {
		return false
	}
	for name, want := range s.Filter {
		if attribute(name) != want {
			return false
		}
	}
	return true
}

// PublisherKey and PullerKey are the keys of the drivers in an Env.
var (
	PublisherKey = env.NewKey[Publisher]("topic publisher")
	PullerKey    = env.NewKey[Puller]("topic puller")
)
