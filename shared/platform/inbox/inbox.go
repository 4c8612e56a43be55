// Package inbox deduplicates at-least-once deliveries: an event takes effect once per function, however often it is delivered.
//
// The claim is a row in the same transaction as the effect, so either both commit or neither does. The claim uses the event's
// own id, because a replayed or dead-lettered event has another message id.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Once runs f in a transaction, inside the event's tenant if it has one. If this processor has already handled the event, Once
// returns nil without calling f. If f fails, the claim is rolled back with everything f wrote, and the next delivery tries
// again. A concurrent delivery of the same event waits until this one ends.
func Once(ctx context.Context, db *postgres.DB, d event.Delivery, f func(postgres.Tx) error) error {
	if d.EventID.IsZero() || d.Processor == "" {
		return errors.New("inbox: the delivery has no event id or no processor")
	}
	run := db.InTx
	if d.Tenant != nil {
		run = func(ctx context.Context, f func(postgres.Tx) error) error { return db.InTenant(ctx, *d.Tenant, f) }
	}
	return run(ctx, func(tx postgres.Tx) error {
		first, err := claim(ctx, tx, db.Schema(), d)
		if err != nil {
			return fmt.Errorf("inbox: claim %s for %s: %w", d.EventID, d.Processor, err)
		}
		if !first {
			return nil
		}
		return f(tx)
	})
}

func claim(ctx context.Context, tx postgres.Tx, schema string, d event.Delivery) (bool, error) {
	tag, err := tx.Exec(ctx, strings.ReplaceAll(`
		INSERT INTO {schema}.inbox_processed (event_id, processor, subject)
		VALUES (@event, @processor, @subject)
		ON CONFLICT (event_id, processor) DO NOTHING`, "{schema}", schema),
		pgx.StrictNamedArgs{"event": d.EventID, "processor": d.Processor, "subject": d.Subject})
	return tag.RowsAffected() == 1, err
}
