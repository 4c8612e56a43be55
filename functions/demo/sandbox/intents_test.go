package sandbox_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestOpen_oneLiveIntent(t *testing.T) {
	t.Parallel()
	b := open(t)
	card := b.opened(t, standin.Card)
	again, err := b.Intents.Open(t.Context(), wanted(card.Reservation, standin.Card))
	check.Must(t, err, "the same again")
	check.Equal(t, again.ID, card.ID, "the same again")
	dearer := wanted(card.Reservation, standin.Card)
	dearer.Amount.Micro *= 2
	for name, w := range map[string]payment.Wanted{"another amount": dearer, "another way": wanted(card.Reservation, standin.CashOnArrival)} {
		t.Run(name, func(t *testing.T) {
			other, err := b.Intents.Open(t.Context(), w)
			check.Must(t, err)
			check.NotEqual(t, other.ID, card.ID)
			card = b.get(t, card.ID)
			check.Equal(t, card.Status, payment.Superseded, "the first")
		})
	}
	paid, err := b.Pay(t.Context(), card.ID)
	check.Must(t, err, "paying afterwards")
	check.Equal(t, paid.Status, payment.Superseded, "paying afterwards")
	check.Equal(t, len(b.published(t, card.Reservation)), 0)
}

func (b books) get(t *testing.T, intent id.Intent) payment.Intent {
	t.Helper()
	i, err := b.Intents.Get(t.Context(), intent)
	check.Must(t, err)
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
	check.Must(t, callers.Wait())
	check.Equal(t, b.count(t, `SELECT count(*) FROM sandbox.intents`), 1)
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
			check.Got(b.Intents.Open(t.Context(), test.w)).Error(t, test.want)
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
	check.Must(t, callers.Wait())
	paid := b.get(t, i.ID)
	check.Equal(t, paid.Status, payment.Captured)
	check.Equal(t, paid.Captured, i.Amount)
	check.NotEqual(t, paid.CapturedAt, nil)
	check.MustEqual(t, b.published(t, i.Reservation), []string{"payment.transaction.captured.v1"})
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
		check.Must(t, err)
		want := payment.RequiresPayment
		if n >= 5 {
			want = payment.Failed
		}
		check.Equal(t, got.Status, want)
		check.Equal(t, got.Attempts, min(n, 5))
	}
	ended, err := b.Pay(t.Context(), i.ID)
	check.Must(t, err, "paying afterwards")
	check.Equal(t, ended.FailureCode, "too_many_attempts", "paying afterwards")
	check.Equal(t, ended.Captured, 0, "paying afterwards")
	check.Equal(t, b.published(t, i.Reservation), []string{"payment.transaction.failed.v1"})
}

func TestPay_afterDecline(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	check.Got(b.Decline(t.Context(), i.ID)).Must(t)
	paid, err := b.Pay(t.Context(), i.ID)
	check.Must(t, err)
	check.Equal(t, paid.Status, payment.Captured)
}

func TestIntent_expires(t *testing.T) {
	t.Parallel()
	b := open(t)
	card, cash := b.opened(t, standin.Card), b.opened(t, standin.CashOnArrival)
	b.Advance(29 * time.Minute)
	due, err := b.Due(t.Context(), payment.DueIntent{}, 10)
	check.Must(t, err)
	check.Equal(t, len(due), 0)
	b.Advance(time.Minute)
	got := b.get(t, card.ID)
	check.Equal(t, got.Status, payment.Failed)
	check.Equal(t, got.FailureCode, "expired")
	got, err = b.Pay(t.Context(), card.ID)
	check.Must(t, err, "paying afterwards")
	check.Equal(t, got.Captured, 0, "paying afterwards")
	due, err = b.Due(t.Context(), payment.DueIntent{}, 10)
	check.Must(t, err)
	check.MustEqual(t, len(due), 1)
	check.MustEqual(t, due[0].ID, card.ID)
	for range 2 {
		check.Got(b.Expire(t.Context(), card.ID)).Must(t)
	}
	check.Equal(t, b.published(t, card.Reservation), []string{"payment.transaction.failed.v1"})
	check.Equal(t, b.get(t, cash.ID).Status, payment.PendingCash, "a promise of cash")
}

// A guest who returns in time to pay must not cause an event that the first intent failed: that would cancel the
// booking.
func TestOpen_replacesExpiredWithoutEvent(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, standin.Card)
	b.Advance(31 * time.Minute)
	fresh, err := b.Intents.Open(t.Context(), wanted(i.Reservation, standin.Card))
	check.Must(t, err)
	check.MustNotEqual(t, fresh.ID, i.ID)
	check.Got(b.Expire(t.Context(), i.ID)).Must(t)
	check.Equal(t, len(b.published(t, i.Reservation)), 0)
}

func TestCancelLive(t *testing.T) {
	t.Parallel()
	b := open(t)
	card, cash, paid := b.opened(t, standin.Card), b.opened(t, standin.CashOnArrival), b.opened(t, standin.Card)
	check.Got(b.Pay(t.Context(), paid.ID)).Must(t)
	for _, i := range []payment.Intent{card, cash, paid} {
		err := b.db.InTenant(t.Context(), kabul.Tenant, func(tx postgres.Tx) error { return b.CancelLive(t.Context(), tx, i.Reservation) })
		check.Must(t, err)
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
			check.Equal(t, b.get(t, test.intent.ID).Status, test.want)
			check.Equal(t, b.published(t, test.intent.Reservation), []string{test.published})
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
	check.Must(t, err)
	b.Advance(31 * time.Minute)
	expire, err := expireintents.New(b.env)
	check.Must(t, err)
	if err := expire(t.Context(), b.env.Now()); err == nil {
		t.Error("no error for the intent that cannot be expired")
	}
	check.Equal(t, len(b.published(t, stuck.Reservation)), 0, "published for the failed one")
	check.Equal(t, b.published(t, other.Reservation), []string{"payment.transaction.failed.v1"}, "published for the other one")
}
