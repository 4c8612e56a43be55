package payment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Pay captures the intent at most once: one of several concurrent calls captures it, and all return the resulting
// intent. An intent that can no longer be paid does not change.
func (s Intents) Pay(ctx context.Context, intent id.Intent) (Intent, error) {
	return s.capture(ctx, intent, `status IN ('requires_payment', 'requires_action') AND expires_at > platform.now()`)
}

// capture captures the whole amount of an intent if the SQL condition holds.
func (s Intents) capture(ctx context.Context, intent id.Intent, condition string) (Intent, error) {
	return s.move(ctx, intent, `
		UPDATE sandbox.intents SET status = 'captured', captured_micro = amount_micro,
			captured_at = platform.now(), captured_event_id = @event, version = version + 1
		WHERE intent_id = @intent AND `+condition,
		pgx.StrictNamedArgs{"intent": intent, "event": id.New[id.Event]()})
}

// Defer records that the guest has approved and the bank is processing the payment. Capture or Refuse records its answer.
func (s Intents) Defer(ctx context.Context, intent id.Intent) (Intent, error) {
	return s.move(ctx, intent, `
		UPDATE sandbox.intents SET status = 'processing', version = version + 1
		WHERE intent_id = @intent AND status IN ('requires_payment', 'requires_action') AND expires_at > platform.now()`,
		pgx.StrictNamedArgs{"intent": intent})
}

// Capture records that the bank has captured a processing intent. It captures the intent at most once.
func (s Intents) Capture(ctx context.Context, intent id.Intent) (Intent, error) {
	return s.capture(ctx, intent, `status = 'processing' AND expires_at > platform.now()`)
}

// Refuse records that the bank has declined a processing intent. As with Decline, the guest may try again, and the fifth decline
// ends the intent.
func (s Intents) Refuse(ctx context.Context, intent id.Intent) (Intent, error) {
	return s.move(ctx, intent, `
		UPDATE sandbox.intents SET attempts = attempts + 1, version = version + 1,
			status = CASE WHEN attempts + 1 >= @most THEN 'failed'
				WHEN method = 'mfs' OR client_secret IS NOT NULL THEN 'requires_action' ELSE 'requires_payment' END,
			failure_code = CASE WHEN attempts + 1 < @most THEN NULL ELSE 'too_many_attempts' END
		WHERE intent_id = @intent AND status = 'processing' AND expires_at > platform.now()`,
		pgx.StrictNamedArgs{"intent": intent, "most": MaxDeclines})
}

// Respond performs the guest's action according to the scenario of the call or of the intent.
func (s Intents) Respond(ctx context.Context, i Intent, a Action, h http.Header) (Intent, error) {
	switch {
	case a == ActionDecline, scenario.Requested(h, scenario.Declined), i.Scenario == scenario.Declined3DS:
		return s.Decline(ctx, i.ID)
	case a == ActionLater, scenario.Requested(h, scenario.Pending), i.Scenario == scenario.Pending:
		return s.Defer(ctx, i.ID)
	}
	return s.Pay(ctx, i.ID)
}

// Collect captures a promise of cash at most once. It returns ErrNotCollectable for an intent that is no promise of cash, or
// no longer one.
func (s Intents) Collect(ctx context.Context, intent id.Intent) (Intent, error) {
	i, err := s.capture(ctx, intent, `status = 'pending_cash'`)
	if err == nil && (i.Method != standin.CashOnArrival || i.Status != Captured) {
		return i, ErrNotCollectable
	}
	return i, err
}

// Decline counts a decline by the guest's bank. The fifth one ends the intent.
func (s Intents) Decline(ctx context.Context, intent id.Intent) (Intent, error) {
	return s.move(ctx, intent, `
		UPDATE sandbox.intents SET attempts = attempts + 1, version = version + 1,
			status = CASE WHEN attempts + 1 < @most THEN status ELSE 'failed' END,
			failure_code = CASE WHEN attempts + 1 < @most THEN NULL ELSE 'too_many_attempts' END
		WHERE intent_id = @intent AND status IN ('requires_payment', 'requires_action') AND expires_at > platform.now()`,
		pgx.StrictNamedArgs{"intent": intent, "most": MaxDeclines})
}

// Expire stores that the intent has expired, if it has.
func (s Intents) Expire(ctx context.Context, intent id.Intent) (Intent, error) {
	return s.move(ctx, intent, `
		UPDATE sandbox.intents SET status = 'failed', failure_code = 'expired', version = version + 1
		WHERE intent_id = @intent AND status IN ('requires_payment', 'requires_action', 'processing') AND expires_at <= platform.now()`,
		pgx.StrictNamedArgs{"intent": intent})
}

func (s Intents) move(ctx context.Context, intent id.Intent, update string, args pgx.StrictNamedArgs) (i Intent, err error) {
	tenant, err := s.owner(ctx, intent)
	if err != nil {
		return i, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		i, err = s.moveIn(ctx, tx, intent, update, args)
		return err
	})
	if err != nil {
		return i, fmt.Errorf("intents: move %s: %w", intent, err)
	}
	return i, nil
}

// moveIn runs one conditional UPDATE. If its condition no longer holds, a concurrent call was first and nothing
// changes. Otherwise it publishes the event of the new status, if there is one, in the same transaction.
func (s Intents) moveIn(ctx context.Context, tx postgres.Tx, intent id.Intent, update string, args pgx.StrictNamedArgs) (Intent, error) {
	moved, err := tx.Exec(ctx, update, args)
	if err != nil {
		return Intent{}, err
	}
	i, err := readIntent(ctx, tx, intent)
	if err != nil || moved.RowsAffected() == 0 {
		return i, err
	}
	switch i.Status {
	case Captured:
		return i, s.Outbox.Append(ctx, tx, captured(i))
	case Failed:
		now, err := tx.Now(ctx)
		if err != nil {
			return i, err
		}
		return i, s.Outbox.Append(ctx, tx, failed(i, now))
	default:
		return i, nil
	}
}

// CancelNamed cancels one intent if it is live, in the caller's transaction. An intent that the bank is processing cannot be
// cancelled, because its money may still be captured; it is then refunded.
func (s Intents) CancelNamed(ctx context.Context, tx postgres.Tx, intent id.Intent) error {
	_, err := s.moveIn(ctx, tx, intent, `
		UPDATE sandbox.intents SET status = 'failed', failure_code = 'cancelled', version = version + 1
		WHERE intent_id = @intent AND status IN ('requires_payment', 'requires_action', 'pending_cash')`,
		pgx.StrictNamedArgs{"intent": intent})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // not an intent of this tenant
	}
	if err != nil {
		return fmt.Errorf("intents: cancel %s: %w", intent, err)
	}
	return nil
}

// CancelLive cancels the reservation's live intent, if any, in the caller's transaction. It first locks all intents of
// the reservation in order, so that the caller can refund any of them without a deadlock.
func (s Intents) CancelLive(ctx context.Context, tx postgres.Tx, r id.Reservation) error {
	rows, _ := tx.Query(ctx, `
		SELECT intent_id FROM sandbox.intents
		WHERE reservation_id = @reservation
		ORDER BY intent_id
		FOR NO KEY UPDATE`,
		pgx.StrictNamedArgs{"reservation": r})
	all, err := pgx.CollectRows(rows, pgx.RowTo[id.Intent])
	if err != nil {
		return fmt.Errorf("intents: of %s: %w", r, err)
	}
	for _, intent := range all {
		if err := s.CancelNamed(ctx, tx, intent); err != nil {
			return err
		}
	}
	return nil
}

// A DueIntent is an expired intent whose event has not been published yet.
type DueIntent struct {
	ID    id.Intent `db:"intent_id"`
	Since time.Time `db:"expires_at"`
}

// Due lists expired intents of all tenants after the given one that are not stored as failed yet, oldest first. The
// maintenance role may only list them.
func (s Intents) Due(ctx context.Context, after DueIntent, limit int) (due []DueIntent, err error) {
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT intent_id, expires_at FROM sandbox.intents
			WHERE status IN ('requires_payment', 'requires_action', 'processing') AND expires_at <= platform.now() AND (expires_at, intent_id) > (@since, @after)
			ORDER BY expires_at, intent_id
			LIMIT @most`,
			pgx.StrictNamedArgs{"since": after.Since, "after": after.ID, "most": limit})
		due, err = pgx.CollectRows(rows, pgx.RowToStructByName[DueIntent])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("intents: due: %w", err)
	}
	return due, nil
}
