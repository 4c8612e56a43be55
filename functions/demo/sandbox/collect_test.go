package sandbox_test

import (
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/collect"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
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
	if first.Status != payment.Captured {
		t.Errorf("status = %s, want captured", first.Status)
	}
	if first.Captured != cash.Amount {
		t.Errorf("captured = %d, want %d", first.Captured, cash.Amount)
	}
	if first.CapturedEvent == nil || first.CapturedAt == nil {
		t.Fatalf("event = %v, captured at %v, want both", first.CapturedEvent, first.CapturedAt)
	}
	if !cmp.Equal(again.CapturedEvent, first.CapturedEvent) {
		t.Errorf("again: event = %v, want %v", again.CapturedEvent, first.CapturedEvent)
	}
	if !cmp.Equal(again.CapturedAt, first.CapturedAt) {
		t.Errorf("again: capturedAt = %v, want %v", again.CapturedAt, first.CapturedAt)
	}
	if got, want := b.published(t, cash.Reservation), []string{"payment.transaction.captured.v1"}; !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
	if got := f.Post(path(id.New[id.Intent]()), nil); got.Status != http.StatusNotFound {
		t.Errorf("an unknown intent: status = %d, want 404", got.Status)
	}
	for name, intent := range map[string]payment.Intent{"a card": b.opened(t, standin.Card), "a paid card": b.paid(t), "a cancelled promise": b.cancelled(t)} {
		t.Run(name, func(t *testing.T) {
			got := f.Post(path(intent.ID), nil)
			if got.Status != http.StatusConflict {
				t.Errorf("status = %d, want 409", got.Status)
			}
			if got.Code() != "PAYMENT.NOT_CAPTURED" {
				t.Errorf("code = %s, want PAYMENT.NOT_CAPTURED", got.Code())
			}
		})
	}
}

// paid returns a captured intent by card.
func (b books) paid(t *testing.T) payment.Intent {
	t.Helper()
	i, err := b.Pay(t.Context(), b.opened(t, standin.Card).ID)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// cancelled returns a promise of cash that is superseded by another method.
func (b books) cancelled(t *testing.T) payment.Intent {
	t.Helper()
	i := b.opened(t, standin.CashOnArrival)
	if _, err := b.Intents.Open(t.Context(), wanted(i.Reservation, standin.Card)); err != nil {
		t.Fatal(err)
	}
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
		if err := race.Wait(); err != nil {
			t.Fatal(err)
		}
		want := 0
		if b.get(t, cash.ID).Status == payment.Captured {
			want = 1
		}
		if got := len(b.published(t, cash.Reservation)); got != want {
			t.Fatalf("%d captures were published, want %d", got, want)
		}
		if got := collected.Load() > 0; got != (want == 1) {
			t.Fatalf("collected = %t, want %t", got, want == 1)
		}
	}
}
