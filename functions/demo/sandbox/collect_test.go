package sandbox_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/collect"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestHTTP_collect(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	cash := b.opened(t, standin.CashOnArrival)
	b.Advance(48 * time.Hour) // a promise of cash does not expire
	path := func(i id.Intent) string { return "/sandbox/payment/v1/intents/" + i.String() + "/collect" }
	var first, again collect.Response
	f.Post(path(cash.ID), nil).Into(t, &first)
	b.Advance(time.Minute)
	f.Post(path(cash.ID), nil).Into(t, &again)
	check.Equal(t, first.Status, payment.Captured)
	check.Equal(t, first.Captured, cash.Amount)
	if first.CapturedEvent == nil || first.CapturedAt == nil {
		t.Fatalf("event = %v, captured at %v, want both", first.CapturedEvent, first.CapturedAt)
	}
	check.Equal(t, again.CapturedEvent, first.CapturedEvent, "again: event")
	check.Equal(t, again.CapturedAt, first.CapturedAt)
	check.Equal(t, b.published(t, cash.Reservation), []string{"payment.transaction.captured.v1"})
	f.Post(path(id.New[id.Intent]()), nil).Want(t, http.StatusNotFound)
	for name, intent := range map[string]payment.Intent{"a card": b.opened(t, standin.Card), "a paid card": b.paid(t), "a cancelled promise": b.cancelled(t)} {
		t.Run(name, func(t *testing.T) {
			got := f.Post(path(intent.ID), nil)
			got.WantProblem(t, http.StatusConflict, "PAYMENT.NOT_CAPTURED")
		})
	}
}

// paid returns a captured intent by card.
func (b books) paid(t *testing.T) payment.Intent {
	t.Helper()
	i, err := b.Pay(t.Context(), b.opened(t, standin.Card).ID)
	check.Must(t, err)
	return i
}

// cancelled returns a promise of cash that is superseded by another method.
func (b books) cancelled(t *testing.T) payment.Intent {
	t.Helper()
	i := b.opened(t, standin.CashOnArrival)
	check.Got(b.Intents.Open(t.Context(), wanted(i.Reservation, standin.Card))).Must(t)
	return i
}

// A desk collects while the guest chooses another method: either wins, and the money is captured at most once.
func TestCollect_racing(t *testing.T) {
	t.Parallel()
	b := openConcurrent(t)
	for range 20 {
		cash := b.opened(t, standin.CashOnArrival)
		var collected atomic.Int64
		race, ctx := errgroup.WithContext(t.Context())
		for range 4 {
			race.Go(func() error {
				_, err := b.Collect(ctx, cash.ID)
				if err == nil {
					collected.Add(1)
				}
				if errors.Is(err, payment.ErrNotCollectable) {
					return nil
				}
				return err
			})
		}
		race.Go(func() error {
			_, err := b.Intents.Open(ctx, wanted(cash.Reservation, standin.MFS))
			return err
		})
		check.Must(t, race.Wait())
		want := 0
		if b.get(t, cash.ID).Status == payment.Captured {
			want = 1
		}
		check.MustEqual(t, len(b.published(t, cash.Reservation)), want, "published captures")
		check.MustEqual(t, collected.Load() > 0, want == 1)
	}
}
