package outbox

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
)

// change publishes or deletes parked events, or reports what it would do. The lines of a change name the operator and the reason;
// they stay in the log of the job.
func (s store) change(ctx context.Context) (n int, err error) {
	acts, condition, in := "unpark", "parked", s.db.InTx
	if s.options.forget {
		acts, condition, in = "forget", "parked AND operational", s.db.InMaintenance
	}
	if !s.options.do {
		in = s.db.InMaintenance
	}
	var events []event
	err = in(ctx, func(tx postgres.Tx) error {
		if events, err = s.events(ctx, tx, condition, s.options.limit); err != nil || !s.options.do {
			return err
		}
		events, err = s.apply(ctx, tx, events)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		if s.options.do {
			err = s.say("%s %s of %s by %q, because %q; it was parked with: %s", acts, e.ID, e.Subject, s.options.by, s.options.why, e.Cause)
		} else {
			err = s.say("would %s %s of %s, %d later events of its key published: %s", acts, e.ID, e.Subject, e.Overtaken, e.Cause)
		}
		if err != nil {
			return len(events), err
		}
	}
	return len(events), nil
}

// apply changes the events that are still parked and returns them: another run may have changed some. The maintenance role may
// delete events but not update them, so unparking runs as the role of the service.
func (s store) apply(ctx context.Context, tx postgres.Tx, events []event) ([]event, error) {
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	statement := `UPDATE ` + s.db.Schema() + `.outbox SET parked_reason = NULL, next_attempt_at = NULL`
	if s.options.forget {
		statement = `DELETE FROM ` + s.db.Schema() + `.outbox`
	}
	rows, _ := tx.Query(ctx, statement+`
		WHERE event_id = ANY(@ids) AND parked_reason IS NOT NULL
		RETURNING event_id`, pgx.StrictNamedArgs{"ids": ids})
	changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return slices.DeleteFunc(events, func(e event) bool { return !slices.Contains(changed, e.ID) }), err
}
