package bus

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A delivery is a message to be pushed to a subscription.
type delivery struct {
	Stored
	subscription topic.Subscription
	attempt      int // counted from 1
}

// claim claims the deliveries that can be pushed now: due, the oldest of their key, and not in flight. It also takes over
// deliveries claimed by other instances, because only the lease holder pushes.
func (b *Bus) claim(ctx context.Context) (claimed []delivery, err error) {
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		tx.AsyncCommit() // a claim lost in a crash only causes another push
		rows, _ := tx.Last().Query(ctx, `
			WITH next AS MATERIALIZED (
				SELECT n.subscription, n.seq
				FROM bus.subscriptions s
				CROSS JOIN LATERAL (
					SELECT d.subscription, d.seq
					FROM bus.deliveries d
					WHERE d.subscription = s.name AND d.pusher IS DISTINCT FROM @self AND d.due_at <= (SELECT platform.now())
					  AND (d.ordering_key = '' OR NOT EXISTS (
						SELECT FROM bus.deliveries e
						WHERE e.subscription = d.subscription AND e.ordering_key = d.ordering_key AND e.ordering_key <> '' AND e.seq < d.seq))
					ORDER BY d.seq
					LIMIT greatest(0, @width - (
						SELECT count(*) FROM bus.deliveries f WHERE f.subscription = s.name AND f.pusher = @self))) n
				WHERE s.endpoint <> '' AND EXISTS (SELECT FROM bus.pusher WHERE holder = @self AND leased_until > clock_timestamp()))
			UPDATE bus.deliveries d SET pusher = @self, attempt = d.attempt + 1
			FROM next n
			JOIN bus.messages m ON m.seq = n.seq
			JOIN bus.subscriptions s ON s.name = n.subscription
			WHERE d.subscription = n.subscription AND d.seq = n.seq
			RETURNING m.seq, m.topic, m.ordering_key, m.attributes, m.data, m.published_at, d.attempt,
			          s.name, s.endpoint, s.audience, s.dead_letter, s.attempts, s.min_backoff, s.max_backoff, s.ack_deadline`,
			pgx.StrictNamedArgs{"self": b.self, "width": width})
		claimed, err = pgx.CollectRows(rows, scanDelivery)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bus: claim: %w", err)
	}
	return claimed, nil
}

func scanDelivery(row pgx.CollectableRow) (delivery, error) {
	var d delivery
	var attributes []byte
	s := &d.subscription
	err := row.Scan(&d.Seq, &d.Topic, &d.OrderingKey, &attributes, &d.Data, &d.PublishedAt, &d.attempt,
		&s.Name, &s.Endpoint, &s.Audience, &s.DeadLetter, &s.Attempts, &s.MinBackoff, &s.MaxBackoff, &s.AckDeadline)
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(attributes, &d.Attributes)
}

// settle records the result of a push. It retries until life ends, because an unsettled delivery blocks its key.
func (b *Bus) settle(life context.Context, d delivery, nack error) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for b.trySettle(life, d, nack) != nil {
		select {
		case <-life.Done():
			return
		case <-ticker.C:
		}
	}
}

func (b *Bus) trySettle(ctx context.Context, d delivery, nack error) error {
	return b.db.InTx(ctx, func(tx postgres.Tx) error {
		var batch pgx.Batch
		switch {
		case nack == nil:
			tx.AsyncCommit()
			b.cross(&batch, d)
		case d.subscription.DeadLetter != "" && d.attempt >= d.subscription.Attempts:
			if err := queue(&batch, []topic.Message{d.dead(nack)}); err != nil {
				return err
			}
			b.cross(&batch, d)
		default:
			tx.AsyncCommit()
			batch.Queue(`
				UPDATE bus.deliveries SET pusher = NULL, due_at = platform.now() + @backoff
				WHERE subscription = @subscription AND seq = @seq AND pusher = @self`,
				pgx.StrictNamedArgs{"backoff": d.backoff(), "subscription": d.subscription.Name, "seq": d.Seq, "self": b.self})
		}
		return tx.Last().SendBatch(ctx, &batch)
	})
}

// cross deletes a delivery.
func (b *Bus) cross(batch *pgx.Batch, d delivery) {
	batch.Queue(`DELETE FROM bus.deliveries WHERE subscription = @subscription AND seq = @seq AND pusher = @self`,
		pgx.StrictNamedArgs{"subscription": d.subscription.Name, "seq": d.Seq, "self": b.self})
}

// backoff returns the wait before the next attempt. It doubles with each attempt.
func (d delivery) backoff() time.Duration {
	s := d.subscription
	wait := s.MinBackoff
	for range d.attempt - 1 {
		if wait >= s.MaxBackoff {
			break
		}
		wait *= 2
	}
	return min(wait, s.MaxBackoff)
}

// dead returns the message for the dead-letter topic: a copy with its origin in the attributes that Pub/Sub uses. The last
// answer of the endpoint is an addition of this project.
func (d delivery) dead(nack error) topic.Message {
	m := topic.Message{Topic: d.subscription.DeadLetter, OrderingKey: d.OrderingKey, Data: d.Data, Attributes: map[string]string{
		topic.RefusedBy: d.subscription.Name,
		"CloudPubSubDeadLetterSourceSubscriptionProject": project,
		"CloudPubSubDeadLetterSourceTopicPublishTime":    d.PublishedAt.UTC().Format(time.RFC3339Nano),
		topic.Refusals:   strconv.Itoa(d.attempt),
		topic.LastAnswer: nack.Error(),
	}}
	maps.Copy(m.Attributes, d.Attributes)
	return m
}
