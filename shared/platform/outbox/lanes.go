package outbox

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A lease is what one turn holds: some lanes, for a while.
type lease struct {
	holder id.Request // known to nobody else, so that no lane is marked or released by someone who lost it
	lanes  []int16
	rows   []row // what is due in them
}

// due says which rows can be published now: not those of a key with a row that waits for its next attempt, for that
// one would be overtaken. A parked row holds nobody up.
//
// It is not written as NOT EXISTS: the planner would make a join of it, expect next to nothing to be left, and then read
// and sort a whole backlog to find its first rows. So it walks the index in order and stops. Nor is it asked once for all
// rows whether anything waits: planned while much waited, that is a look at the whole table.
const due = `o.published_at IS NULL AND o.parked_reason IS NULL AND coalesce((
	SELECT false FROM {schema}.outbox f
	WHERE f.ordering_key = o.ordering_key AND f.next_attempt_at > (SELECT platform.now())
	  AND f.published_at IS NULL AND f.parked_reason IS NULL
	LIMIT 1), true)`

// take leases lanes in which something is due, those first that were served longest ago, and reads what is due there,
// each lane in the order of seq, in all as many rows as the pace allows. It never waits: a lane that somebody holds, or is
// just taking or settling, is theirs, and they look again after they have given it back. Only, unless nil, are the keys
// whose lanes to choose from.
//
// Lanes are looked into one after the other until enough are found: to look into all of them each time is a tenth of a
// relay's work. Reading is a statement of its own: it must see what was marked by whoever gave the lane back while it was
// being taken.
func (o *Outbox) take(ctx context.Context, p pace, only []string) (lease, error) {
	l := lease{holder: id.New[id.Request]()}
	var batch pgx.Batch
	batch.Queue(o.sql(`
		WITH free AS MATERIALIZED (
			SELECT l.lane
			FROM (
				SELECT lane
				FROM {schema}.outbox_lanes
				WHERE @only::text[] IS NULL OR lane IN (SELECT hashtextextended(k, 0) & 63 FROM unnest(@only::text[]) k)
				ORDER BY leased_until
				OFFSET 0) longest
			JOIN {schema}.outbox_lanes l ON l.lane = longest.lane
			CROSS JOIN LATERAL (SELECT FROM {schema}.outbox o WHERE o.lane = l.lane AND `+due+` ORDER BY o.seq LIMIT 1) first
			WHERE l.leased_until <= clock_timestamp()
			LIMIT @lanes
			FOR UPDATE OF l SKIP LOCKED)
		UPDATE {schema}.outbox_lanes l
		SET holder = @holder, leased_until = clock_timestamp() + @lasting
		FROM free WHERE l.lane = free.lane
		RETURNING l.lane`),
		pgx.StrictNamedArgs{"only": only, "lanes": p.lanes, "holder": l.holder, "lasting": p.lease},
	).Query(func(rows pgx.Rows) (err error) { l.lanes, err = pgx.CollectRows(rows, pgx.RowTo[int16]); return err })
	batch.Queue(o.sql(`
		SELECT r.id, r.subject, r.ordering_key, r.payload, r.envelope, r.enqueued_at
		FROM {schema}.outbox_lanes l
		CROSS JOIN LATERAL (
			SELECT o.seq, o.id, o.subject, o.ordering_key, o.payload, o.envelope, o.enqueued_at
			FROM {schema}.outbox o
			WHERE o.lane = l.lane AND `+due+`
			ORDER BY o.seq
			LIMIT (SELECT @rows / count(*) + 1 FROM {schema}.outbox_lanes WHERE holder = @holder)) r
		WHERE l.holder = @holder
		ORDER BY l.lane, r.seq`),
		pgx.StrictNamedArgs{"holder": l.holder, "rows": p.rows},
	).Query(func(rows pgx.Rows) (err error) {
		l.rows, err = pgx.CollectRows(rows, pgx.RowToStructByName[row])
		return err
	})
	err := o.db.InTx(ctx, func(tx postgres.Tx) error { return tx.Last().SendBatch(ctx, &batch).Close() })
	if err != nil {
		return lease{}, fmt.Errorf("outbox: take in %s: %w", o.db.Schema(), err)
	}
	return l, nil
}

// release gives the lanes back that are still held. Its time of day puts them behind the others.
func (o *Outbox) release(tx postgres.Tx, l lease) {
	tx.Queue(o.sql(`
		UPDATE {schema}.outbox_lanes SET holder = NULL, leased_until = clock_timestamp()
		WHERE lane = ANY (@lanes) AND holder = @holder`),
		pgx.StrictNamedArgs{"lanes": l.lanes, "holder": l.holder})
}
