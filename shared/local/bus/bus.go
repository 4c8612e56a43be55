// Package bus implements a message bus on PostgreSQL, for local runs, tests and small deployments. It provides the features of
// Pub/Sub that the functions use: order per key, filters, push with retries, delivery attempts, dead-letter topics that can be
// pulled, and identity tokens. Published messages survive a crash. The conformance suite in topictest tests this bus and Pub/Sub.
//
// Publish writes messages and their deliveries to subscriptions in one transaction. Run pushes due deliveries, the oldest of
// each key first and one per key at a time, and deletes acknowledged deliveries.
package bus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/push"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A Bus is a publisher with its messages and subscriptions in the SQL schema bus.
type Bus struct {
	db     *postgres.DB
	self   id.Request // identifies this instance among all on the database
	pusher *push.Pusher
	wake   chan struct{} // has a value when there may be something to push
	lease  time.Duration // of the pushing instance
}

var (
	_ topic.Publisher = (*Bus)(nil)
	_ topic.Puller    = (*Bus)(nil)
)

// Open returns the bus in the database. Its pushes carry tokens if e has an identity.Source.
func Open(e env.Env, db *postgres.DB) *Bus {
	return &Bus{db: db, self: id.New[id.Request](), pusher: push.Open(e, width), wake: make(chan struct{}, 1), lease: e.Timeout(lease)}
}

// poke wakes Run without waiting for it.
func (b *Bus) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Pub/Sub's defaults for subscriptions.
const (
	minBackoff  = 10 * time.Second
	maxBackoff  = 10 * time.Minute
	ackDeadline = 10 * time.Second
)

// Subscribe replaces the set of subscriptions. Existing subscriptions keep their pending deliveries, new ones receive messages
// published from now on, and missing ones are deleted with their deliveries. Each dead-letter topic gets a pull subscription
// of the same name.
func (b *Bus) Subscribe(ctx context.Context, subscriptions []topic.Subscription) error {
	var batch pgx.Batch
	names := []string{}
	for _, s := range subscriptions {
		if s.Name == "" || s.Topic == "" || s.Endpoint == "" || s.DeadLetter != "" && s.Attempts < 1 {
			return fmt.Errorf("bus: subscription %q has no name, topic or endpoint, or no attempts for its dead-letter topic", s.Name)
		}
		names = append(names, s.Name)
		upsert(&batch, s)
		if s.DeadLetter != "" && !slices.Contains(names, s.DeadLetter) {
			names = append(names, s.DeadLetter)
			upsert(&batch, topic.Subscription{Name: s.DeadLetter, Topic: s.DeadLetter}) // without an endpoint: for pulling
		}
	}
	batch.Queue(`DELETE FROM bus.subscriptions WHERE name <> ALL (@names)`, pgx.StrictNamedArgs{"names": names})
	err := b.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &batch) })
	if err != nil {
		return fmt.Errorf("bus: subscribe: %w", err)
	}
	b.poke()
	return nil
}

func upsert(batch *pgx.Batch, s topic.Subscription) {
	filter := s.Filter
	if filter == nil {
		filter = map[string]string{}
	}
	batch.Queue(`
		INSERT INTO bus.subscriptions AS s
			(name, topic, endpoint, audience, dead_letter, filter, attempts, min_backoff, max_backoff, ack_deadline)
		VALUES (@name, @topic, @endpoint, @audience, @dead, @filter, @attempts, @min, @max, @ack)
		ON CONFLICT (name) DO UPDATE SET
			topic = excluded.topic, endpoint = excluded.endpoint, audience = excluded.audience, dead_letter = excluded.dead_letter,
			filter = excluded.filter, attempts = excluded.attempts, min_backoff = excluded.min_backoff,
			max_backoff = excluded.max_backoff, ack_deadline = excluded.ack_deadline`,
		pgx.StrictNamedArgs{"name": s.Name, "topic": s.Topic, "endpoint": s.Endpoint, "audience": s.Audience,
			"dead": s.DeadLetter, "filter": filter, "attempts": s.Attempts, "min": or(s.MinBackoff, minBackoff),
			"max": or(s.MaxBackoff, maxBackoff), "ack": or(s.AckDeadline, ackDeadline)})
}

func or(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
