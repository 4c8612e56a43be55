package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/postgres"
)

// A lease is what one turn holds: some lanes, for a while.
type lease struct {
	holder id.Request // known to nobody else, so that no lane is marked or released by someone who lost it
	lanes  []int16
}

// due says which rows can be published now: not those of a key with a row that waits for its next attempt, for that
// one would be overtaken. A parked row holds nobody up.
//
// It is not written as NOT EXISTS: the planner would make a join of it, expect next to nothing to be left, and then read
// and sort a whole backlog to find its first rows. So it walks the index in order and stops.
const due = `o.published_at IS NULL AND o.parked_reason IS NULL AND coalesce((
	SELECT false FROM {schema}.outbox f
	WHERE f.ordering_key = o.ordering_key AND f.next_attempt_at > (SELECT platform.now())
	  AND f.published_at IS NULL AND f.parked_reason IS NULL
	LIMIT 1), true)`

// take leases lanes in which something is due, those first that were served longest ago. It never waits: a lane that
// somebody holds, or is just taking or releasing, is theirs, and they look again after they have released it.
// Only, unless nil, are the lanes to choose from.
func (o *Outbox) take(ctx context.Context, lanes int, only []int16, lasting time.Duration) (lease, error) {
	l := lease{holder: id.New[id.Request]()}
	err := o.db.InTx(ctx, func(tx postgres.Tx) (err error) {
		rows, _ := tx.Query(ctx, o.sql(`
			WITH free AS MATERIALIZED (
				SELECT l.lane
				FROM {schema}.outbox_lanes l
				WHERE l.leased_until <= clock_timestamp() AND (@only::smallint[] IS NULL OR l.lane = ANY (@only))
				  AND (SELECT true FROM {schema}.outbox o WHERE o.lane = l.lane AND `+due+` ORDER BY o.seq LIMIT 1)
				ORDER BY l.leased_until
				LIMIT @lanes
				FOR UPDATE SKIP LOCKED)
			UPDATE {schema}.outbox_lanes l
			SET holder = @holder, leased_until = clock_timestamp() + @lasting
			FROM free WHERE l.lane = free.lane
			RETURNING l.lane`),
			pgx.StrictNamedArgs{"only": only, "lanes": lanes, "holder": l.holder, "lasting": lasting})
		l.lanes, err = pgx.CollectRows(rows, pgx.RowTo[int16])
		return err
	})
	if err != nil {
		return lease{}, fmt.Errorf("outbox: lease in %s: %w", o.db.Schema(), err)
	}
	return l, nil
}

// release gives the lanes back that are still held. Its time of day puts them behind the others.
func (o *Outbox) release(ctx context.Context, l lease) error {
	err := o.db.InTx(ctx, func(tx postgres.Tx) error {
		_, err := tx.Exec(ctx, o.sql(`
			UPDATE {schema}.outbox_lanes SET holder = NULL, leased_until = clock_timestamp()
			WHERE lane = ANY (@lanes) AND holder = @holder`),
			pgx.StrictNamedArgs{"lanes": l.lanes, "holder": l.holder})
		return err
	})
	if err != nil {
		return fmt.Errorf("outbox: release in %s: %w", o.db.Schema(), err)
	}
	return nil
}
