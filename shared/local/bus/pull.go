package bus

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Pull leases up to limit messages of a pull subscription. Concurrent callers get different messages.
func (b *Bus) Pull(ctx context.Context, subscription string, limit int, lease time.Duration) (pulled []topic.Pulled, err error) {
	own := id.New[id.Request]()
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		var there bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM bus.subscriptions WHERE name = @name AND endpoint = '')`,
			pgx.StrictNamedArgs{"name": subscription}).Scan(&there)
		if err == nil && !there {
			err = fmt.Errorf("no pull subscription %q", subscription)
		}
		if err != nil {
			return err
		}
		rows, _ := tx.Last().Query(ctx, `
			WITH next AS (
				SELECT seq FROM bus.deliveries
				WHERE subscription = @name AND due_at <= (SELECT platform.now())
				ORDER BY seq LIMIT @most FOR UPDATE SKIP LOCKED)
			UPDATE bus.deliveries d SET pusher = @own, due_at = platform.now() + @lease, attempt = d.attempt + 1
			FROM next n JOIN bus.messages m ON m.seq = n.seq
			WHERE d.subscription = @name AND d.seq = n.seq
			RETURNING m.seq, m.topic, m.ordering_key, m.attributes, m.data, m.published_at`,
			pgx.StrictNamedArgs{"name": subscription, "most": limit, "own": own, "lease": lease})
		stored, err := pgx.CollectRows(rows, scanStored)
		for _, s := range stored {
			s.Topic = ""
			pulled = append(pulled, topic.Pulled{Message: s.Message, Receipt: receipt(s.Seq, own), PublishedAt: s.PublishedAt})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bus: pull: %w", err)
	}
	return pulled, nil
}

// receipt returns the receipt of a pulled message: its sequence number and the id of its lease.
func receipt(seq int64, lease id.Request) string {
	return strconv.FormatInt(seq, 10) + "/" + lease.String()
}

// Acknowledge implements topic.Puller.
func (b *Bus) Acknowledge(ctx context.Context, subscription string, receipts []string) error {
	return b.end(ctx, subscription, receipts, `DELETE FROM bus.deliveries`)
}

// Release implements topic.Puller.
func (b *Bus) Release(ctx context.Context, subscription string, receipts []string) error {
	return b.end(ctx, subscription, receipts, `UPDATE bus.deliveries SET pusher = NULL, due_at = platform.now()`)
}

// end applies a change to the leased messages, except those that another caller has leased since.
func (b *Bus) end(ctx context.Context, subscription string, receipts []string, change string) error {
	leased := map[id.Request][]int64{}
	for _, r := range receipts {
		number, name, _ := strings.Cut(r, "/")
		seq, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return fmt.Errorf("bus: invalid receipt %q", r)
		}
		lease, err := id.Parse[id.Request](name)
		if err != nil {
			return fmt.Errorf("bus: invalid receipt %q", r)
		}
		leased[lease] = append(leased[lease], seq)
	}
	if len(leased) == 0 {
		return nil
	}
	var batch pgx.Batch
	for lease, numbers := range leased {
		batch.Queue(change+` WHERE subscription = @name AND seq = ANY (@numbers) AND pusher = @lease`,
			pgx.StrictNamedArgs{"name": subscription, "numbers": numbers, "lease": lease})
	}
	err := b.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &batch) })
	if err != nil {
		return fmt.Errorf("bus: end leases: %w", err)
	}
	return nil
}
