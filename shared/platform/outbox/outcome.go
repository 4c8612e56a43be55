package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// An outcome holds the results of a turn's rows. Rows in none of its lists stay unchanged.
type outcome struct {
	at        time.Time // time of publishing, as in the envelopes
	published [][16]byte
	failed    [][16]byte
	reasons   []string        // of the failed rows
	parks     []bool          // whether the failed rows are never retried; otherwise they are retried later, and the rest of their key waits
	stopped   map[string]bool // keys with a row that was not published
	report    Report
}

func (out *outcome) fail(r row, reason error, park bool) {
	out.failed, out.reasons, out.parks = append(out.failed, r.ID), append(out.reasons, reason.Error()), append(out.parks, park)
	if park {
		out.report.Parked++
	} else {
		out.report.Failed++
	}
}

// sort files a row by the result of publishing it; rows come in order. A row that was held back behind another one, or that ran
// out of time, stays unchanged, because it did not fail itself. Publishers hold back within a topic, because no bus keeps an
// order between topics; a row of the same key and another topic may have been published.
func (out *outcome) sort(r row, err error, over bool) {
	switch {
	case err == nil:
		out.published = append(out.published, r.ID)
		out.report.Published++
		waited := out.at.Sub(r.Enqueued)
		out.report.Slowest = max(out.report.Slowest, waited)
		if waited > lateDeferred || waited > late && !r.Deferred {
			out.report.Late++
		}
		return
	case errors.Is(err, topic.ErrHeldBack) && out.stopped[r.Key]:
	case over && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)):
	default:
		out.fail(r, err, errors.Is(err, topic.ErrRefused))
	}
	out.stopped[r.Key] = true
}

// mark writes the results of the rows. It needs no lease: a publish by any holder counts, and a failure counts only if the row
// is still unpublished.
func (o *Outbox) mark(tx postgres.Tx, out *outcome) {
	tx.Queue(o.sql(`
		UPDATE {schema}.outbox SET published_at = @at, attempts = attempts + 1, last_error = NULL, parked_reason = NULL
		WHERE id = ANY (@ids) AND published_at IS NULL`),
		pgx.StrictNamedArgs{"at": out.at, "ids": out.published})
	if len(out.failed) > 0 {
		tx.Queue(o.sql(`
			UPDATE {schema}.outbox o
			SET attempts = o.attempts + 1, last_error = f.reason, parked_reason = CASE WHEN f.park THEN f.reason ELSE o.parked_reason END,
			    next_attempt_at = CASE WHEN f.park THEN o.next_attempt_at
			      ELSE platform.now() + least(@longest::interval, @shortest::interval * power(2, least(o.attempts, 20))) END
			FROM unnest(@ids::uuid[], @reasons::text[], @parks::boolean[]) f (id, reason, park)
			WHERE o.id = f.id AND o.published_at IS NULL`),
			pgx.StrictNamedArgs{"ids": out.failed, "reasons": out.reasons, "parks": out.parks, "shortest": minBackoff, "longest": maxBackoff})
	}
}

// The delay until a row's next attempt doubles from the minimum to the maximum.
const (
	minBackoff = time.Second
	maxBackoff = 10 * time.Minute
)
