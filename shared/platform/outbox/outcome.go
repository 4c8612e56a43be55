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
	waits     Waits           // of the published events
	failed    failures        // retried later; the rest of their key waits
	parked    failures        // never retried
	stopped   map[string]bool // keys with a row that was not published
}

type failures struct {
	ids     [][16]byte
	reasons []string
}

func (f *failures) add(r row, reason error) {
	f.ids = append(f.ids, r.ID)
	f.reasons = append(f.reasons, reason.Error())
}

// compose builds the messages of rows and returns the rows that have one. If a row cannot be made into a message, it is parked,
// because a retry cannot succeed.
func (out *outcome) compose(rows []row) (sent []row, messages []topic.Message) {
	sent, messages = make([]row, 0, len(rows)), make([]topic.Message, 0, len(rows))
	out.published = make([][16]byte, 0, len(rows))
	for _, r := range rows {
		m, err := r.message(out.at)
		if err != nil {
			out.parked.add(r, err)
			continue
		}
		sent, messages = append(sent, r), append(messages, m)
	}
	return sent, messages
}

// sort files a row by the result of publishing it; rows come in order. A row that was held back behind another one, or that ran
// out of time, stays unchanged, because it did not fail itself. Publishers hold back within a topic, because no bus keeps an
// order between topics; a row of the same key and another topic may have been published.
func (out *outcome) sort(r row, err error, over bool) {
	switch {
	case err == nil:
		out.published = append(out.published, r.ID)
		out.waits.add(out.at.Sub(r.Enqueued))
		return
	case errors.Is(err, topic.ErrHeldBack) && out.stopped[r.Key]:
	case over && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)):
	case errors.Is(err, topic.ErrRefused):
		out.parked.add(r, err)
	default:
		out.failed.add(r, err)
	}
	if out.stopped == nil {
		out.stopped = map[string]bool{}
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
	if len(out.failed.ids) > 0 {
		tx.Queue(o.sql(`
			UPDATE {schema}.outbox o
			SET attempts = o.attempts + 1, last_error = f.reason,
			    next_attempt_at = platform.now() + least(@longest::interval, @shortest::interval * power(2, least(o.attempts, 20)))
			FROM unnest(@ids::uuid[], @reasons::text[]) f (id, reason)
			WHERE o.id = f.id AND o.published_at IS NULL`),
			pgx.StrictNamedArgs{"ids": out.failed.ids, "reasons": out.failed.reasons, "shortest": minBackoff, "longest": maxBackoff})
	}
	if len(out.parked.ids) > 0 {
		tx.Queue(o.sql(`
			UPDATE {schema}.outbox o
			SET attempts = o.attempts + 1, last_error = f.reason, parked_reason = f.reason
			FROM unnest(@ids::uuid[], @reasons::text[]) f (id, reason)
			WHERE o.id = f.id AND o.published_at IS NULL`),
			pgx.StrictNamedArgs{"ids": out.parked.ids, "reasons": out.parked.reasons})
	}
}

// The delay until a row's next attempt doubles from the minimum to the maximum.
const (
	minBackoff = time.Second
	maxBackoff = 10 * time.Minute
)
