package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Pending delivery has not been acknowledged yet.
type Pending struct {
	Subscription string
	Seq          int64
	Topic        string
	Key          string
	Event        string
	Attempts     int // pushes so far, including one in flight
	PublishedAt  time.Time
	DueAt        time.Time // of the next push
	InFlight     bool
	Blocked      bool // an older delivery of its key comes first
}

// Pending returns up to limit pending deliveries to push subscriptions, those that are due first at the top.
func (b *Bus) Pending(ctx context.Context, limit int) (found []Pending, err error) {
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT d.subscription, d.seq, m.topic, d.ordering_key AS key, coalesce(m.attributes ->> 'ce-id', '') AS event, d.attempt AS attempts,
			       m.published_at, d.due_at, d.pusher IS NOT NULL AS in_flight,
			       d.ordering_key <> '' AND EXISTS (SELECT FROM bus.deliveries e
			           WHERE e.subscription = d.subscription AND e.ordering_key = d.ordering_key AND e.seq < d.seq) AS blocked
			FROM bus.deliveries d JOIN bus.messages m USING (seq) JOIN bus.subscriptions s ON s.name = d.subscription
			WHERE s.endpoint <> ''
			ORDER BY d.due_at, d.seq LIMIT @most`, pgx.StrictNamedArgs{"most": limit})
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pending])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bus: pending: %w", err)
	}
	return found, nil
}

// PushNow makes the deliveries of a subscription that wait for their next attempt due at once, or those of all subscriptions if
// the name is empty. It returns their number.
func (b *Bus) PushNow(ctx context.Context, subscription string) (n int64, err error) {
	err = b.db.InTx(ctx, func(tx postgres.Tx) error {
		tag, err := tx.Last().Exec(ctx, `
			UPDATE bus.deliveries AS d SET due_at = platform.now()
			FROM bus.subscriptions AS s
			WHERE s.name = d.subscription AND s.endpoint <> '' AND d.pusher IS NULL AND d.due_at > platform.now()
			  AND (@subscription = '' OR d.subscription = @subscription)`,
			pgx.StrictNamedArgs{"subscription": subscription})
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("bus: push now: %w", err)
	}
	b.poke()
	return n, nil
}
