package sandbox_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

func TestRefund_maxCaptured(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	i := b.opened(t, standin.Card)
	part := payment.Refund{ID: id.New[id.Refund](), Intent: i.ID, Amount: 300_000_000, Reason: "test"}
	if _, err := b.Refund(t.Context(), part); !errors.Is(err, payment.ErrNotCaptured) {
		t.Errorf("before the capture: %v, want ErrNotCaptured", err)
	}
	if _, err := b.Pay(t.Context(), i.ID); err != nil {
		t.Fatal(err)
	}
	callers, ctx := errgroup.WithContext(t.Context())
	for n := range 32 {
		callers.Go(func() error { return b.refundAny(ctx, part, n) })
	}
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	// Three fit into 1,000. The repeats are one of them, unless three others were faster.
	if got := b.get(t, i.ID); got.Refunded != 900_000_000 {
		t.Errorf("refunded %d, want 900000000", got.Refunded)
	}
	if got := b.published(t, i.Reservation); len(got) != 1+3 {
		t.Errorf("published %v, want one capture and three refunds", got)
	}
	b.listsRefunds(t, i)
}

// listsRefunds fails the test unless the intent lists three different refunds of 300.
func (b books) listsRefunds(t *testing.T, i payment.Intent) {
	t.Helper()
	all, err := b.Of(t.Context(), i.Tenant, i.Reservation)
	if err != nil {
		t.Fatal(err)
	}
	refunds := b.get(t, i.ID).View().Refunds
	if !slices.Equal(refunds, all[0].Refunds) {
		t.Errorf("the intents of the reservation list %v, the intent itself %v", all[0].Refunds, refunds)
	}
	if len(refunds) != 3 {
		t.Fatalf("the intent lists %d refunds, want 3", len(refunds))
	}
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
		if _, err := b.Pay(t.Context(), paid.ID); err != nil {
			t.Fatal(err)
		}
	}
	r := payment.Refund{ID: id.New[id.Refund](), Intent: i.ID, Amount: 400_000_000, Reason: "test"}
	first, err := b.Refund(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if first.Total != 400_000_000 {
		t.Fatalf("first.Total = %d, want 400_000_000", first.Total)
	}
	again, err := b.Refund(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if again != first {
		t.Errorf("again = %+v, want %+v", again, first)
	}
	more, elsewhere := r, r
	more.Amount, elsewhere.Intent = 500_000_000, other.ID
	for name, changed := range map[string]payment.Refund{"another amount": more, "another intent": elsewhere} {
		t.Run(name, func(t *testing.T) {
			if _, err := b.Refund(t.Context(), changed); !errors.Is(err, payment.ErrOtherRefund) {
				t.Errorf("error = %v, want ErrOtherRefund", err)
			}
		})
	}
	if _, err := b.Refund(t.Context(), payment.Refund{ID: id.New[id.Refund](), Intent: id.New[id.Intent](), Amount: 1}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("no such intent: %v, want ErrNotFound", err)
	}
}
