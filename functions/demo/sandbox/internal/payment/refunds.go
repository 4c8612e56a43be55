package payment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Refund is a full or partial refund of an intent. The caller chooses its id, which makes repetitions idempotent.
type Refund struct {
	ID     id.Refund   `db:"refund_id"`
	Intent id.Intent   `db:"intent_id"`
	Amount money.Micro `db:"amount_micro"`
	Reason string      `db:"reason"`
	Total  money.Micro `db:"total_refunded_micro"` // refunded of the intent so far, including this refund
}

// Refund refunds money, once per refund id. It returns ErrNotCaptured if nothing was captured, and ErrRefundTooLarge if
// less is left.
func (s Intents) Refund(ctx context.Context, r Refund) (done Refund, err error) {
	tenant, err := s.owner(ctx, r.Intent)
	if err != nil {
		return done, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		done, err = s.refund(ctx, tx, r)
		return err
	})
	if postgres.Violates(err, "refunds_pkey") { // the id belongs to an intent that is not locked here
		err = ErrOtherRefund
	}
	if err != nil {
		return done, fmt.Errorf("intents: refund %s of %s: %w", r.ID, r.Intent, err)
	}
	return done, nil
}

// A RefundRequest is a refund that an event requests. If it has no refund id, the id derives from the event's.
type RefundRequest struct {
	Refund *id.Refund  `json:"refundId"`
	Intent id.Intent   `json:"paymentIntentId"`
	Amount money.Micro `json:"amountMicro"`
}

// RefundRequested refunds what an event requests, in the caller's transaction. It takes the intents in order, so that two
// events of a reservation do not deadlock.
func (s Intents) RefundRequested(ctx context.Context, tx postgres.Tx, event id.Event, reason string, all []RefundRequest) error {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b RefundRequest) int { return bytes.Compare(a.Intent[:], b.Intent[:]) })
	for _, r := range all {
		refund := Refund{ID: id.Derive[id.Refund](event, r.Intent.String()), Intent: r.Intent, Amount: r.Amount, Reason: reason}
		if r.Refund != nil {
			refund.ID = *r.Refund
		}
		if err := s.refundLeft(ctx, tx, refund); err != nil {
			return err
		}
	}
	return nil
}

// refundLeft refunds the requested amount, or the rest if that is less. If nothing is left, or the refund was made before,
// it does nothing.
func (s Intents) refundLeft(ctx context.Context, tx postgres.Tx, r Refund) error {
	var left money.Micro
	err := tx.QueryRow(ctx, `SELECT captured_micro - refunded_micro FROM sandbox.intents WHERE intent_id = @intent FOR NO KEY UPDATE`,
		pgx.StrictNamedArgs{"intent": r.Intent}).Scan(&left)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("intents: left of %s: %w", r.Intent, err)
	}
	if _, err := readRefund(ctx, tx, r.ID); !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if r.Amount = min(r.Amount, left); r.Amount <= 0 {
		return nil
	}
	if _, err := s.refund(ctx, tx, r); err != nil {
		return fmt.Errorf("intents: refund %s of %s: %w", r.ID, r.Intent, err)
	}
	return nil
}

// refund locks the intent first, so that concurrent refunds are decided one after the other.
func (s Intents) refund(ctx context.Context, tx postgres.Tx, r Refund) (Refund, error) {
	if _, err := tx.Exec(ctx, `SELECT FROM sandbox.intents WHERE intent_id = @intent FOR NO KEY UPDATE`,
		pgx.StrictNamedArgs{"intent": r.Intent}); err != nil {
		return r, err
	}
	earlier, err := readRefund(ctx, tx, r.ID)
	if err == nil && (earlier.Intent != r.Intent || earlier.Amount != r.Amount) {
		return r, ErrOtherRefund
	}
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return earlier, err
	}
	i, err := readIntent(ctx, tx, r.Intent)
	switch {
	case err != nil:
		return r, err
	case i.Status != Captured:
		return r, ErrNotCaptured
	case r.Amount > i.Captured-i.Refunded:
		return r, ErrRefundTooLarge
	}
	r.Total = i.Refunded + r.Amount
	return r, s.insertRefund(ctx, tx, i, r)
}

func readRefund(ctx context.Context, tx postgres.Tx, refund id.Refund) (Refund, error) {
	rows, _ := tx.Query(ctx, `
		SELECT refund_id, intent_id, amount_micro, reason, total_refunded_micro
		FROM sandbox.refunds
		WHERE refund_id = @refund`,
		pgx.StrictNamedArgs{"refund": refund})
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Refund])
}

// insertRefund stores the refund. A constraint of the table prevents refunds beyond the captured amount.
func (s Intents) insertRefund(ctx context.Context, tx postgres.Tx, i Intent, r Refund) error {
	rows, _ := tx.Query(ctx, `
		INSERT INTO sandbox.refunds (refund_id, tenant_id, intent_id, amount_micro, reason, total_refunded_micro, refunded_at)
		VALUES (@refund, @tenant, @intent, @amount, @reason, @total, platform.now())
		RETURNING refunded_at`,
		pgx.StrictNamedArgs{"refund": r.ID, "tenant": i.Tenant, "intent": r.Intent, "amount": r.Amount,
			"reason": r.Reason, "total": r.Total})
	at, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[time.Time])
	if err != nil {
		return err
	}
	tx.Queue(`
		UPDATE sandbox.intents SET refunded_micro = refunded_micro + @amount, version = version + 1
		WHERE intent_id = @intent`,
		pgx.StrictNamedArgs{"intent": r.Intent, "amount": r.Amount})
	i.Version++
	return s.Outbox.Append(ctx, tx, refunded(i, r, at))
}
