// Package bus is a message bus on Postgres, for local runs, tests and tiny deployments. It does what Pub/Sub does for us:
// order per key, filters, push with retries, delivery attempts, dead letters and pulling them, an identity token; and what it
// has taken survives a kill. Both are held to the conformance suite in topictest.
//
// Publish writes a message, and in the same statement what is owed to each subscription. Run pushes what is owed, the
// oldest of each key first and one of a key at a time, and crosses off what is acknowledged.
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

// A Bus is a publisher whose messages and subscriptions live in the schema bus.
type Bus struct {
	db     *postgres.DB
	self   id.Request // this bus among all that were ever opened on the database
	pusher *push.Pusher
	wake   chan struct{} // has a value when there may be something to push
	lease  time.Duration // of whoever pushes
}

var (
	_ topic.Publisher = (*Bus)(nil)
	_ topic.Puller    = (*Bus)(nil)
)

// Open returns the bus in the database. Its pushes carry tokens of the identity.Source that was given to e, if one was.
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

// Pub/Sub's own values for what a subscription leaves open.
const (
	minBackoff  = 10 * time.Second
	maxBackoff  = 10 * time.Minute
	ackDeadline = 10 * time.Second
)

// Subscribe makes these the subscriptions there are. One that stays keeps what is owed to it; one that is new gets what
// is published from now on; one that is not named any more is dropped with everything owed to it. Each dead-letter topic has
// one that is called as it and keeps what comes there for whoever pulls.
func (b *Bus) Subscribe(ctx context.Context, subscriptions []topic.Subscription) error {
	var batch pgx.Batch
	names := []string{}
	for _, s := range subscriptions {
		if s.Name == "" || s.Topic == "" || s.Endpoint == "" || s.DeadLetter != "" && s.Attempts < 1 {
			return fmt.Errorf("bus: subscription %q lacks a name, a topic, an endpoint, or attempts before its dead letters", s.Name)
		}
		names = append(names, s.Name)
		upsert(&batch, s)
		if s.DeadLetter != "" && !slices.Contains(names, s.DeadLetter) {
			names = append(names, s.DeadLetter)
			upsert(&batch, topic.Subscription{Name: s.DeadLetter, Topic: s.DeadLetter}) // without an endpoint: it waits for whoever pulls
		}
	}
	batch.Queue(`DELETE FROM bus.subscriptions WHERE name <> ALL (@names)`, pgx.StrictNamedArgs{"names": names})
	err := b.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &batch).Close() })
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
