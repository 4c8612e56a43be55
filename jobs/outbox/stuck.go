package outbox

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A store is the outbox of one schema.
type store struct {
	db      *postgres.DB
	options options
	out     io.Writer
}

// act does what the arguments name and returns the number of events that it concerned.
func (s store) act(ctx context.Context, e env.Env) (int, error) {
	switch {
	case s.options.push:
		return s.push(ctx, e)
	case s.options.unpark, s.options.forget:
		return s.change(ctx)
	case s.options.show > 0:
		return s.show(ctx)
	}
	return s.list(ctx)
}

// stuck selects the stuck events. A parked event is never published. An event of an unknown class counts as evidence. A failing one is retried, and its cause is the last error.
const stuck = `
	SELECT seq, event_id, subject, ordering_key, attempts, enqueued_at,
	       parked_reason IS NOT NULL AS parked, coalesce(envelope ->> 'retentionClass', '') = 'operational' AS operational,
	       coalesce(parked_reason, last_error, 'no error recorded') AS cause
	FROM %[1]s.outbox
	WHERE published_at IS NULL AND (parked_reason IS NOT NULL OR next_attempt_at IS NOT NULL AND enqueued_at < platform.now() - interval '5 minutes')
	  AND (@subject = '' OR subject = @subject)
	  AND strpos(coalesce(parked_reason, last_error, 'no error recorded'), @cause) > 0
	  AND (@event = '' OR event_id = @event)`

func (s store) arguments() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"subject": s.options.subject, "cause": s.options.cause, "event": s.options.event}
}

func (s store) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.out, s.db.Schema()+": "+format+"\n", args...)
	return err
}

// A group holds the events of one subject and cause. Ids in the cause are replaced by "…".
type group struct {
	Subject, Cause string
	Parked         bool
	Count          int
	Oldest         time.Time
}

// maxCounted is the number of waiting events that are counted.
const maxCounted = 100_000

// list prints the number of events that wait for the relay, and a line for each subject and cause of stuck events, those with the
// oldest event first.
func (s store) list(ctx context.Context) (n int, err error) {
	var groups []group
	var waiting int
	var oldest *time.Time
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		err := tx.QueryRow(ctx, `
			SELECT count(*), min(enqueued_at)
			FROM (SELECT enqueued_at FROM `+s.db.Schema()+`.outbox WHERE published_at IS NULL AND parked_reason IS NULL LIMIT @most) AS waiting`,
			pgx.StrictNamedArgs{"most": maxCounted}).Scan(&waiting, &oldest)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `
			SELECT subject, regexp_replace(cause, '[0-9A-HJKMNP-TV-Z]{26}', '…', 'g') AS cause, parked, count(*), min(enqueued_at) AS oldest
			FROM (`+fmt.Sprintf(stuck, s.db.Schema())+`) AS stuck
			GROUP BY 1, 2, 3
			ORDER BY oldest, 1, 2`, s.arguments())
		groups, err = pgx.CollectRows(rows, pgx.RowToStructByPos[group])
		return err
	})
	if oldest != nil && err == nil {
		n, err = waiting, s.say("%d events wait to be published, at most %d are counted; the oldest since %s", waiting, maxCounted, instant(*oldest))
	}
	for _, g := range groups {
		if n += g.Count; err == nil {
			err = s.say("%d of %s %s since %s: %s", g.Count, g.Subject, state(g.Parked), instant(g.Oldest), g.Cause)
		}
	}
	return n, err
}

func state(parked bool) string {
	if parked {
		return "parked"
	}
	return "failing"
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// An event is one stuck event, without its payload.
type event struct {
	ID        string
	Subject   string
	Parked    bool
	Attempts  int
	Enqueued  time.Time
	Overtaken int // number of later events with the same ordering key that were published
	Cause     string
}

// events returns up to limit of the selected events, the oldest first. A condition may narrow the selection.
func (s store) events(ctx context.Context, tx postgres.Tx, condition string, limit int) ([]event, error) {
	args := s.arguments()
	args["most"] = limit
	rows, _ := tx.Query(ctx, `
		SELECT event_id, subject, parked, attempts, enqueued_at,
		       (SELECT count(*) FROM `+s.db.Schema()+`.outbox AS later
		        WHERE later.ordering_key = stuck.ordering_key AND later.seq > stuck.seq AND later.published_at IS NOT NULL) AS overtaken,
		       cause
		FROM (`+fmt.Sprintf(stuck, s.db.Schema())+`) AS stuck
		WHERE `+condition+`
		ORDER BY seq
		LIMIT @most`, args)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[event])
}

func (s store) show(ctx context.Context) (n int, err error) {
	var events []event
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		events, err = s.events(ctx, tx.Last(), "true", s.options.show)
		return err
	})
	for _, e := range events {
		if err == nil {
			err = s.say("%s of %s %s since %s, %d attempts, %d later events of its key published: %s",
				e.ID, e.Subject, state(e.Parked), instant(e.Enqueued), e.Attempts, e.Overtaken, e.Cause)
		}
	}
	return len(events), err
}
