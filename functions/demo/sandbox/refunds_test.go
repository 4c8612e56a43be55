package sandbox_test

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestRefund_maxCaptured(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	i := b.opened(t, standin.Card)
	part := payment.Refund{ID: id.New[id.Refund](), Intent: i.ID, Amount: 300_000_000, Reason: "test"}
	check.Got(b.Refund(t.Context(), part)).Error(t, payment.ErrNotCaptured, "before the capture")
	check.Got(b.Pay(t.Context(), i.ID)).Must(t)
	callers, ctx := errgroup.WithContext(t.Context())
	for n := range 32 {
		callers.Go(func() error { return b.refundAny(ctx, part, n) })
	}
	check.Must(t, callers.Wait())
	// Three fit into 1,000. The repeats are one of them, unless three others were faster.
	check.Equal(t, b.get(t, i.ID).Refunded, 900_000_000)
	check.Equal(t, len(b.published(t, i.Reservation)), 1+3)
	b.listsRefunds(t, i)
}

// listsRefunds fails the test unless the intent lists three different refunds of 300.
func (b books) listsRefunds(t *testing.T, i payment.Intent) {
	t.Helper()
	all, err := b.Of(t.Context(), i.Tenant, i.Reservation)
	check.Must(t, err)
	refunds := b.get(t, i.ID).View().Refunds
	check.Equal(t, refunds, all[0].Refunds, "refunds in the list of intents and in the intent")
	check.MustEqual(t, len(refunds), 3, "the intent lists refunds")
	seen := map[id.Refund]bool{}
	for _, r := range refunds {
		if r.Amount != 300_000_000 || seen[r.ID] {
			t.Errorf("the intent lists %v, want three different refunds of 300", refunds)
		}
		seen[r.ID] = true
	}
}

// refundAny repeats the one refund half of the time, and otherwise requests a new one.
func (b books) refundAny(ctx context.Context, part payment.Refund, n int) error {
	if n%2 == 0 {
		part.ID = id.New[id.Refund]()
	}
	_, err := b.Refund(ctx, part)
	if errors.Is(err, payment.ErrRefundTooLarge) {
		return nil
	}
	return err
}

func TestRefund_idempotent(t *testing.T) {
	t.Parallel()
	b := open(t)
	i, other := b.opened(t, standin.Card), b.opened(t, standin.Card)
	for _, paid := range []payment.Intent{i, other} {
		check.Got(b.Pay(t.Context(), paid.ID)).Must(t)
	}
	r := payment.Refund{ID: id.New[id.Refund](), Intent: i.ID, Amount: 400_000_000, Reason: "test"}
	first, err := b.Refund(t.Context(), r)
	check.Must(t, err)
	check.MustEqual(t, first.Total, 400_000_000)
	again, err := b.Refund(t.Context(), r)
	check.Must(t, err)
	check.Equal(t, again, first)
	more, elsewhere := r, r
	more.Amount, elsewhere.Intent = 500_000_000, other.ID
	for name, changed := range map[string]payment.Refund{"another amount": more, "another intent": elsewhere} {
		t.Run(name, func(t *testing.T) {
			check.Got(b.Refund(t.Context(), changed)).Error(t, payment.ErrOtherRefund)
		})
	}
	check.Got(b.Refund(t.Context(), payment.Refund{ID: id.New[id.Refund](), Intent: id.New[id.Intent](), Amount: 1})).Error(t, fault.ErrNotFound, "no such intent")
}
