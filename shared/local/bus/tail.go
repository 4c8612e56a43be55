package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Stored is a message as stored by the bus.
type Stored struct {
	topic.Message
	Seq         int64 // position; in decimal the message id
	PublishedAt time.Time
}

// poll is the polling interval, for messages that another process has published.
const poll = 100 * time.Millisecond

// page is how many messages Tail reads at a time.
const page = 200

// Last returns the position of the newest message.
func (b *Bus) Last(ctx context.Context) (last int64, err error) {
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `SELECT coalesce(max(seq), 0) FROM bus.messages`).Scan(&last)
	})
	if err != nil {
		return 0, fmt.Errorf("bus: last: %w", err)
	}
	return last, nil
}

// Tail calls f for every message after a position, in the order of positions and without a gap, until f fails or ctx ends.
func (b *Bus) Tail(ctx context.Context, after int64, f func(Stored) error) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		messages, err := b.after(ctx, after)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := f(m); err != nil {
				return err
			}
			after = m.Seq
		}
		if len(messages) == page {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// after reads one page of messages. Sequence numbers are assigned before commit, so a later message may become visible first.
// The exclusive lock waits for publishers between assignment and commit; up to the horizon read under it there are no gaps.
func (b *Bus) after(ctx context.Context, after int64) (found []Stored, err error) {
	last, err := b.Last(ctx)
	if err != nil || last <= after {
		return nil, err
	}
	var horizon int64
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		tx.Queue(`SELECT pg_advisory_xact_lock(hashtextextended('bus messages', 0))`)
		return tx.Last().QueryRow(ctx, `SELECT coalesce(max(seq), 0) FROM bus.messages`).Scan(&horizon)
	})
	if err == nil {
		found, err = b.between(ctx, after, horizon)
	}
	if err != nil {
		return nil, fmt.Errorf("bus: tail: %w", err)
	}
	return found, nil
}

func (b *Bus) between(ctx context.Context, after, horizon int64) (found []Stored, err error) {
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT seq, topic, ordering_key, attributes, data, published_at
			FROM bus.messages
			WHERE seq > @after AND seq <= @horizon
			ORDER BY seq LIMIT @page`,
			pgx.StrictNamedArgs{"after": after, "horizon": horizon, "page": page})
		found, err = pgx.CollectRows(rows, scanStored)
		return err
	})
	return found, err
}

func scanStored(row pgx.CollectableRow) (Stored, error) {
	var s Stored
	var attributes []byte
	if err := row.Scan(&s.Seq, &s.Topic, &s.OrderingKey, &attributes, &s.Data, &s.PublishedAt); err != nil {
		return s, err
	}
	return s, json.Unmarshal(attributes, &s.Attributes)
}
