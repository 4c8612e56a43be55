package sandbox_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/functions/sandbox/expireintents"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

func TestOpen_oneLiveIntent(t *testing.T) {
	t.Parallel()
	b := open(t)
	card := b.opened(t, sandbox.Card)
	again, err := b.Intents.Open(t.Context(), wanted(card.Reservation, sandbox.Card))
	if err != nil || again.ID != card.ID {
		t.Errorf("the same again: %v, %v, want %v", again.ID, err, card.ID)
	}
	dearer := wanted(card.Reservation, sandbox.Card)
	dearer.Amount.Micro *= 2
	for name, w := range map[string]sandbox.Wanted{"another amount": dearer, "another way": wanted(card.Reservation, sandbox.CashOnArrival)} {
		other, err := b.Intents.Open(t.Context(), w)
		if err != nil || other.ID == card.ID {
			t.Errorf("%s: %v, %v, want a new intent", name, other.ID, err)
		}
		card = b.get(t, card.ID)
		if card.Status != sandbox.Superseded {
			t.Errorf("%s: the first is %s, want superseded", name, card.Status)
		}
	}
	if paid, err := b.Pay(t.Context(), card.ID); err != nil || paid.Status != sandbox.Superseded {
		t.Errorf("paying afterwards: %s, %v, want superseded", paid.Status, err)
	}
	if got := b.published(t, card.Reservation); len(got) != 0 {
		t.Errorf("published %v, want nothing", got)
	}
}

func (b books) get(t *testing.T, intent id.Intent) sandbox.Intent {
	t.Helper()
	i, err := b.Intents.Get(t.Context(), intent)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestOpen_concurrently(t *testing.T) {
	t.Parallel()
	b := crowded(t)
	w := wanted(id.New[id.Reservation](), sandbox.Card)
	crowd, ctx := errgroup.WithContext(t.Context())
	for range 32 {
		crowd.Go(func() error { _, err := b.Intents.Open(ctx, w); return err })
	}
	if err := crowd.Wait(); err != nil {
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
	pounds := wanted(r, sandbox.Card)
	pounds.Amount.Currency = money.GBP
	nobody := wanted(r, sandbox.Card)
	nobody.Tenant = id.New[id.Tenant]()
	for _, test := range []struct {
		name string
		w    sandbox.Wanted
		want error
	}{
		{"a method of another hotel", wanted(r, sandbox.PayPal), sandbox.ErrMethodUnavailable},
		{"a currency it does not price in", pounds, sandbox.ErrCurrency},
		{"no tenant", nobody, sandbox.ErrTenantUnknown},
	} {
		if _, err := b.Intents.Open(t.Context(), test.w); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestPay_capturesOnce(t *testing.T) {
	t.Parallel()
	b := crowded(t)
	i := b.opened(t, sandbox.Card)
	crowd, ctx := errgroup.WithContext(t.Context())
	for n := range 32 {
		crowd.Go(func() error {
			act := b.Pay
			if n%8 == 7 {
				act = b.Decline
			}
			_, err := act(ctx, i.ID)
			return err
		})
	}
	if err := crowd.Wait(); err != nil {
		t.Fatal(err)
	}
	paid := b.get(t, i.ID)
	if paid.Status != sandbox.PaymentCaptured || paid.Captured != i.Amount || paid.CapturedAt == nil {
		t.Errorf("the intent is %s over %d at %v, want captured over %d", paid.Status, paid.Captured, paid.CapturedAt, i.Amount)
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
	i := b.opened(t, sandbox.MFS)
	for n := 1; n <= 7; n++ {
		got, err := b.Decline(t.Context(), i.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := sandbox.RequiresPayment
		if n >= 5 {
			want = sandbox.PaymentFailed
		}
		if got.Status != want || got.Attempts != min(n, 5) {
			t.Errorf("after decline %d: %s with %d attempts, want %s", n, got.Status, got.Attempts, want)
		}
	}
	ended, err := b.Pay(t.Context(), i.ID)
	if err != nil || ended.FailureCode != "too_many_attempts" || ended.Captured != 0 {
		t.Errorf("paying afterwards: %+v, %v", ended, err)
	}
	if got, want := b.published(t, i.Reservation), []string{"payment.transaction.failed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
}

func TestPay_afterDecline(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, sandbox.Card)
	if _, err := b.Decline(t.Context(), i.ID); err != nil {
		t.Fatal(err)
	}
	if paid, err := b.Pay(t.Context(), i.ID); err != nil || paid.Status != sandbox.PaymentCaptured {
		t.Errorf("%s, %v, want captured", paid.Status, err)
	}
}

func TestIntent_expires(t *testing.T) {
	t.Parallel()
	b := open(t)
	card, cash := b.opened(t, sandbox.Card), b.opened(t, sandbox.CashOnArrival)
	b.Advance(29 * time.Minute)
	if due, err := b.Due(t.Context(), sandbox.DueIntent{}, 10); err != nil || len(due) != 0 {
		t.Errorf("a minute before its end: due %v, %v", due, err)
	}
	b.Advance(time.Minute)
	if got := b.get(t, card.ID); got.Status != sandbox.PaymentFailed || got.FailureCode != "expired" {
		t.Errorf("unswept it reads %s %s, want failed expired", got.Status, got.FailureCode)
	}
	if got, err := b.Pay(t.Context(), card.ID); err != nil || got.Captured != 0 {
		t.Errorf("paying afterwards: captured %d, %v", got.Captured, err)
	}
	due, err := b.Due(t.Context(), sandbox.DueIntent{}, 10)
	if err != nil || len(due) != 1 || due[0].ID != card.ID {
		t.Fatalf("due %v, %v, want %v", due, err, card.ID)
	}
	for range 2 {
		if _, err := b.Expire(t.Context(), card.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.published(t, card.Reservation), []string{"payment.transaction.failed.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if got := b.get(t, cash.ID); got.Status != sandbox.PendingCash {
		t.Errorf("a promise of cash is %s, want pending_cash", got.Status)
	}
}

// A guest who returns in time to pay must not cause an event that the first intent failed: that would cancel the
// booking.
func TestOpen_replacesExpiredWithoutEvent(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.opened(t, sandbox.Card)
	b.Advance(31 * time.Minute)
	fresh, err := b.Intents.Open(t.Context(), wanted(i.Reservation, sandbox.Card))
	if err != nil || fresh.ID == i.ID {
		t.Fatalf("%v, %v, want a new intent", fresh.ID, err)
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
	card, cash, paid := b.opened(t, sandbox.Card), b.opened(t, sandbox.CashOnArrival), b.opened(t, sandbox.Card)
	if _, err := b.Pay(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	for _, i := range []sandbox.Intent{card, cash, paid} {
		err := b.db.InTenant(t.Context(), kabul.Tenant, func(tx postgres.Tx) error { return b.CancelLive(t.Context(), tx, i.Reservation) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		intent    sandbox.Intent
		want      sandbox.Status
		published string
	}{
		{card, sandbox.PaymentFailed, "payment.transaction.failed.v1"},
		{cash, sandbox.PaymentFailed, "payment.transaction.failed.v1"},
		{paid, sandbox.PaymentCaptured, "payment.transaction.captured.v1"},
	} {
		if got := b.get(t, test.intent.ID); got.Status != test.want {
			t.Errorf("%s: %s, want %s", test.intent.Method, got.Status, test.want)
		}
		if got := b.published(t, test.intent.Reservation); !slices.Equal(got, []string{test.published}) {
			t.Errorf("%s: published %v, want %s", test.intent.Method, got, test.published)
		}
	}
}

func TestExpireIntents_failureBlocksNoOther(t *testing.T) {
	t.Parallel()
	b := open(t)
	stuck := b.opened(t, sandbox.Card)
	b.Advance(time.Second) // the first that is due
	other := b.opened(t, sandbox.Card)
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
