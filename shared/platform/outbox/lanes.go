package outbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A lease holds the lanes of one turn for a limited time.
type lease struct {
	holder id.Request // random, so that a turn that lost its lease cannot mark or release the lane
	lanes  []int16
	rows   []row    // the due rows of the lanes
	out    *outcome // of publishing the rows
}

// due selects the rows that can be published now. It excludes the rows of a key with a row that waits for its next attempt,
// because they would overtake it. A parked row does not block its key.
//
// The condition is not written as NOT EXISTS: the planner would turn it into a join, expect few rows, and read and sort a whole
// backlog to find its first rows. This form walks the index in order and stops early. The check is correlated and not done once
// for the table: a plan made while many rows wait would scan the whole table.
const due = `o.published_at IS NULL AND o.parked_reason IS NULL AND coalesce((
	SELECT false FROM {schema}.outbox f
	WHERE f.ordering_key = o.ordering_key AND f.next_attempt_at > (SELECT platform.now())
	  AND f.published_at IS NULL AND f.parked_reason IS NULL
	LIMIT 1), true)`

// take leases lanes with due rows, least recently served first, and reads their due rows, each lane in the order of seq, in
// total as many rows as the pace allows. It never waits: it skips a lane that another turn holds or locks, and that turn looks
// again after its release. If only is not nil, take chooses from the lanes of these keys.
//
// The lanes are checked one after the other until enough are found: checking all of them each time costs a tenth of a relay's
// work. Reading is a separate statement, because it must see the marks of the turn that released a lane while this one took it.
func (o *Outbox) take(ctx context.Context, tx postgres.Tx, p pace, only []string) (lease, error) {
	l := lease{holder: id.New[id.Request]()}
	tx.AsyncCommit() // a lease lost in a crash only causes a second publish
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
		SELECT r.id, r.subject, r.ordering_key, r.payload, r.envelope, r.deferred, r.enqueued_at
		FROM {schema}.outbox_lanes l
		CROSS JOIN LATERAL (
			SELECT o.seq, o.id, o.subject, o.ordering_key, o.payload, o.envelope, o.deferred, o.enqueued_at
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
	return l, tx.Last().SendBatch(ctx, &batch)
}

// release releases the lanes that the lease still holds. Setting leased_until to now moves them behind the other lanes.
func (o *Outbox) release(tx postgres.Tx, l lease) {
	tx.Queue(o.sql(`
		UPDATE {schema}.outbox_lanes SET holder = NULL, leased_until = clock_timestamp()
		WHERE lane = ANY (@lanes) AND holder = @holder`),
		pgx.StrictNamedArgs{"lanes": l.lanes, "holder": l.holder})
}
