// Package topic has the messages that services publish to topics, and the subscriptions that have them pushed over HTTP.
//
// It has the interface only. The drivers, topic/bus on Postgres among them, are chosen by whoever builds the binary.
package topic

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Attributes of a message that is published again because one subscription has given it up. They stay with it when it is
// given up once more.
const (
	ReplayTo = "ce-" + event.ReplayTo // the one subscription that is to have it; all others let it pass
	Replays  = "ce-" + event.Replays  // how often it has been published again, this time included
)

// Attributes of a dead letter that the bus has put down by itself. Two are Pub/Sub's own, the third is what our buses of local
// runs add.
const (
	RefusedBy  = "CloudPubSubDeadLetterSourceSubscription"
	Refusals   = "CloudPubSubDeadLetterSourceDeliveryCount"
	LastAnswer = "melmastoon-last-answer"
)

// A Message is what travels. Its attributes become HTTP headers of the push.
type Message struct {
	Topic       string
	OrderingKey string // messages of one topic and key arrive in the order they were published; empty: in any order
	Attributes  map[string]string
	Data        []byte
}

// A Publisher sends messages. The answer has one error per message, in the same place; nil means that the message is
// durable. Those of one topic and key keep their order: after one has failed, the rest of them fail with ErrHeldBack,
// also those of the same call that a driver had already sent on their way. Nobody publishes the same key twice at a time.
type Publisher interface {
	Publish(ctx context.Context, messages []Message) []error
}

var (
	// ErrHeldBack is the error of a message that was not tried, because one before it under the same key had failed.
	ErrHeldBack = errors.New("topic: held back, for an earlier message of the same key failed")

	// ErrRefused is the error of a message that can never be published, however often it is tried.
	ErrRefused = errors.New("topic: the message can never be published")
)

// A Puller takes messages from a subscription that pushes nowhere: that of a dead-letter topic, which is called as the topic.
// What is pulled is leased: nobody else is given it until it is released or its lease is over. Two who pull at once share
// what there is.
type Puller interface {
	// Pull leases what can be had at once, at most so many, in no order. That it is nothing does not prove that nothing is there.
	Pull(ctx context.Context, subscription string, most int, lease time.Duration) ([]Pulled, error)
	// Acknowledge removes messages for good. One whose lease is over may stay.
	Acknowledge(ctx context.Context, subscription string, receipts []string) error
	// Release gives messages back at once.
	Release(ctx context.Context, subscription string, receipts []string) error
}

// A Pulled message is leased to whoever has it. Its Topic is not told.
type Pulled struct {
	Message
	Receipt     string // names this lease of it
	PublishedAt time.Time
}

// A Subscription has the messages of a topic pushed to an endpoint, with an identity token made out to Audience. An answer of 102,
// 200, 201, 202 or 204 within AckDeadline is an acknowledgement; everything else is retried after a time that doubles
// from MinBackoff to MaxBackoff. After Attempts pushes the message goes to the topic DeadLetter, under a new message id.
type Subscription struct {
	Name                   string
	Topic                  string
	Endpoint               string
	Audience               string
	DeadLetter             string            // empty: retried for ever
	Filter                 map[string]string // attributes that a message must have; what does not match is never delivered
	Attempts               int
	MinBackoff, MaxBackoff time.Duration
	AckDeadline            time.Duration
}

// Wants reports whether a message with these attributes is for the subscription.
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

// Open returns the publisher that the builder of the binary gave, if any.
func Open(e env.Env) (Publisher, bool) { return env.Given[Publisher](e) }

// OpenPuller returns the puller that the builder of the binary gave, if any.
func OpenPuller(e env.Env) (Puller, bool) { return env.Given[Puller](e) }
