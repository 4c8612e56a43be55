package sandbox_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

func TestOpen_oneLiveIntent(t *testing.T) {
	t.Parallel()
	b := open(t)
	card := b.opened(t, standin.Card)
	again, err := b.Intents.Open(t.Context(), wanted(card.Reservation, standin.Card))
	if err != nil {
		t.Fatalf("the same again: %v", err)
	}
	if again.ID != card.ID {
		t.Errorf("the same again: again.ID = %v, want %v", again.ID, card.ID)
	}
	dearer := wanted(card.Reservation, standin.Card)
	dearer.Amount.Micro *= 2
	for name, w := range map[string]payment.Wanted{"another amount": dearer, "another way": wanted(card.Reservation, standin.CashOnArrival)} {
		t.Run(name, func(t *testing.T) {
			other, err := b.Intents.Open(t.Context(), w)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if other.ID == card.ID {
				t.Errorf("other.ID = %v, want another value", other.ID)
			}
			card = b.get(t, card.ID)
			if card.Status != payment.Superseded {
				t.Errorf("the first is %s, want superseded", card.Status)
			}
		})
	}
	paid, err := b.Pay(t.Context(), card.ID)
	if err != nil {
		t.Fatalf("paying afterwards: %v", err)
	}
	if paid.Status != payment.Superseded {
		t.Errorf("paying afterwards: status = %q, want %q", paid.Status, payment.Superseded)
	}
	if got := b.published(t, card.Reservation); len(got) != 0 {
		t.Errorf("published %v, want nothing", got)
	}
}

func (b books) get(t *testing.T, intent id.Intent) payment.Intent {
	t.Helper()
	i, err := b.Intents.Get(t.Context(), intent)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestOpen_concurrently(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	w := wanted(id.New[id.Reservation](), standin.Card)
	callers, ctx := errgroup.WithContext(t.Context())
	for range 32 {
		callers.Go(func() error { _, err := b.Intents.Open(ctx, w); return err })
	}
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := b.count(t, `SELECT count(*) FROM sandbox.intents`); n != 1 {
		t.Errorf("%d intents, want 1", n)
	}
}

func TestOpen_notAccepted(t *testing.T) {
	t.Parallel()
	b := open(t)
	r := id.New[id.Reservation]()
	pounds := wanted(r, standin.Card)
	pounds.Amount.Currency = money.GBP
	unknown := wanted(r, standin.Card)
	unknown.Tenant = id.New[id.Tenant]()
	for _, test := range []struct {
		name string
		w    payment.Wanted
		want error
	}{
		{"a method of another hotel", wanted(r, standin.PayPal), payment.ErrMethodUnavailable},
		{"a currency it does not price in", pounds, standin.ErrCurrency},
		{"unknown tenant", unknown, standin.ErrTenantUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := b.Intents.Open(t.Context(), test.w); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

func TestPay_capturesOnce(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	i := b.opened(t, standin.Card)
	callers, ctx := errgroup.WithContext(t.Context())
	for n := range 32 {
		callers.Go(func() error {
			act := b.Pay
			if n%8 == 7 {
				act = b.Decline
			}
			_, err := act(ctx, i.ID)
			return err
		})
	}
	if err := callers.Wait(); err != nil {
		t.Fatal(err)
	}
	paid := b.get(t, i.ID)
	if paid.Status != payment.Captured {
		t.Errorf("status = %q, want %q", paid.Status, payment.Captured)
	}
	if paid.Captured != i.Amount {
		t.Errorf("paid.Captured = %d, want %d", paid.Captured, i.Amount)
	}
	if paid.CapturedAt == nil {
		t.Error("paid.CapturedAt = nil, want a value")
	}
	if got, want := b.published(t, i.Reservation), []string{"payment.transaction.captured.v1"}; !slices.Equal(got, want) {
		t.Fatalf("published %v, want %v", got, want)
	}
	if n := b.count(t, `SELECT count(*) FROM sandbox.outbox WHERE event_id = $1`, paid.CapturedEvent.String()); n != 1 {
		t.Errorf("the intent does not know its capture event by its id")
	}
}

func TestDecline_fifthEndsIntent(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	for n := 1; n <= 7; n++ {
		got, err := b.Decline(t.Context(), i.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := payment.RequiresPayment
		if n >= 5 {
			want = payment.Failed
		}
		if got.Status != want {
			t.Errorf("status = %q, want %q", got.Status, want)
		}
		if got.Attempts != min(n, 5) {
			t.Errorf("got.Attempts = %d, want %d", got.Attempts, min(n, 5))
		}
	}
	ended, err := b.Pay(t.Context(), i.ID)
	if err != nil {
		t.Fatalf("paying afterwards: %v", err)
	}
	if ended.FailureCode != "too_many_attempts" {
		t.Errorf(`paying afterwards: ended.FailureCode = %q, want "too_many_attempts"`, ended.FailureCode)
	}
	if ended.Captured != 0 {
		t.Errorf("paying afterwards: ended.Captured = %d, want 0", ended.Captured)
	}
	if got, want := b.published(t, i.Reservation), []string{"payment.transaction.failed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
}

func TestPay_afterDecline(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	if _, err := b.Decline(t.Context(), i.ID); err != nil {
		t.Fatal(err)
	}
	paid, err := b.Pay(t.Context(), i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if paid.Status != payment.Captured {
		t.Errorf("status = %q, want %q", paid.Status, payment.Captured)
	}
}

func TestIntent_expires(t *testing.T) {
	t.Parallel()
	b := open(t)
	card, cash := b.opened(t, standin.Card), b.opened(t, standin.CashOnArrival)
	b.Advance(29 * time.Minute)
	due, err := b.Due(t.Context(), payment.DueIntent{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(due) != 0 {
		t.Errorf("len(due) = %d, want 0", len(due))
	}
	b.Advance(time.Minute)
	got := b.get(t, card.ID)
	if got.Status != payment.Failed {
		t.Errorf("status = %q, want %q", got.Status, payment.Failed)
	}
	if got.FailureCode != "expired" {
		t.Errorf(`got.FailureCode = %q, want "expired"`, got.FailureCode)
	}
	got, err = b.Pay(t.Context(), card.ID)
	if err != nil {
		t.Fatalf("paying afterwards: %v", err)
	}
	if got.Captured != 0 {
		t.Errorf("paying afterwards: got.Captured = %d, want 0", got.Captured)
	}
	due, err = b.Due(t.Context(), payment.DueIntent{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(due) != 1 {
		t.Fatalf("len(due) = %d, want 1", len(due))
	}
	if due[0].ID != card.ID {
		t.Fatalf("due[0].ID = %v, want %v", due[0].ID, card.ID)
	}
	for range 2 {
		if _, err := b.Expire(t.Context(), card.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.published(t, card.Reservation), []string{"payment.transaction.failed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if got := b.get(t, cash.ID); got.Status != payment.PendingCash {
		t.Errorf("a promise of cash is %s, want pending_cash", got.Status)
	}
}

// A guest who returns in time to pay must not cause an event that the first intent failed: that would cancel the
// booking.
func TestOpen_replacesExpiredWithoutEvent(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	b.Advance(31 * time.Minute)
	fresh, err := b.Intents.Open(t.Context(), wanted(i.Reservation, standin.Card))
	if err != nil {
		t.Fatal(err)
	}
	if fresh.ID == i.ID {
		t.Fatalf("fresh.ID = %v, want another value", fresh.ID)
	}
	if _, err := b.Expire(t.Context(), i.ID); err != nil {
		t.Fatal(err)
	}
	if got := b.published(t, i.Reservation); len(got) != 0 {
		t.Errorf("published %v, want nothing", got)
	}
}

func TestCancelLive(t *testing.T) {
	t.Parallel()
	b := open(t)
	card, cash, paid := b.opened(t, standin.Card), b.opened(t, standin.CashOnArrival), b.opened(t, standin.Card)
	if _, err := b.Pay(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	for _, i := range []payment.Intent{card, cash, paid} {
		err := b.db.InTenant(t.Context(), kabul.Tenant, func(tx postgres.Tx) error { return b.CancelLive(t.Context(), tx, i.Reservation) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name      string
		intent    payment.Intent
		want      payment.Status
		published string
	}{
		{name: "card", intent: card, want: payment.Failed, published: "payment.transaction.failed.v1"},
		{name: "cash", intent: cash, want: payment.Failed, published: "payment.transaction.failed.v1"},
		{name: "paid", intent: paid, want: payment.Captured, published: "payment.transaction.captured.v1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := b.get(t, test.intent.ID); got.Status != test.want {
				t.Errorf("status = %s, want %s", got.Status, test.want)
			}
			if got := b.published(t, test.intent.Reservation); !slices.Equal(got, []string{test.published}) {
				t.Errorf("published %v, want %s", got, test.published)
			}
		})
	}
}

func TestExpireIntents_failureBlocksNoOther(t *testing.T) {
	t.Parallel()
	b := open(t)
	stuck := b.opened(t, standin.Card)
	b.Advance(time.Second) // the first that is due
	other := b.opened(t, standin.Card)
	_, err := b.owner.Exec(t.Context(), `ALTER TABLE sandbox.intents ADD CHECK (status <> 'failed' OR reservation_id <> '`+fmt.Sprintf("%x", [16]byte(stuck.Reservation))+`')`)
	if err != nil {
		t.Fatal(err)
	}
	b.Advance(31 * time.Minute)
	expire, err := expireintents.New(b.env)
	if err != nil {
		t.Fatal(err)
	}
	if err := expire(t.Context(), b.env.Now()); err == nil {
		t.Error("no error for the intent that cannot be expired")
	}
	if got := b.published(t, stuck.Reservation); len(got) != 0 {
		t.Errorf("published %v for the failed one, want nothing", got)
	}
	if got, want := b.published(t, other.Reservation), []string{"payment.transaction.failed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v for the other one, want %v", got, want)
	}
}
