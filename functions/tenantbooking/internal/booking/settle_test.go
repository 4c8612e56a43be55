package booking

import (
	"context"
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A refusal is a reservation service that rejects every confirmation with this error.
type refusal struct{ why error }

func (r refusal) Get(_ context.Context, t id.Tenant, rsv id.Reservation) (Reservation, error) {
	return Reservation{reservation.Reservation{ID: rsv, Tenant: t, State: "held"}}, nil
}
func (r refusal) Confirm(context.Context, *Draft) (Reservation, error) { return Reservation{}, r.why }
func (r refusal) Release(context.Context, *Draft) error                { return nil }

// paid is a payment service where every payment is captured.
type paid struct{}

func (paid) Get(context.Context, *Draft) (PaymentState, error) {
	return PaymentState{Status: "captured"}, nil
}

// saved is a draft store that accepts every draft.
type saved struct{}

func (saved) Save(context.Context, *Draft, ...event.Draft) error { return nil }

func TestClose_notCaptured(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		why  error
		want State
	}{
		"payment not known to the reservation service yet": {ErrNotCaptured, Confirming},
		"payment refunded": {ErrNotCaptured.After(0), Failed},
	} {
		t.Run(name, func(t *testing.T) {
			d := aDraft(Paying)
			s := &Settler{saved{}, refusal{test.why}, paid{}, func() time.Time { return noon }}
			err := s.Close(t.Context(), d)
			check.Equal(t, d.State, test.want, "state after Close")
			check.Equal(t, errors.Is(err, ErrNotCaptured), !d.State.Ended(), "Close returns %v", err)
			d = aDraft(Paying)
			check.Error(t, s.Returned(t.Context(), d), ErrNotCaptured, "error of Returned")
			check.Equal(t, d.State, test.want, "state after Returned")
		})
	}
}

// TestConfirm_afterPayment checks the error text for a guest who has paid, and for cash.
func TestConfirm_afterPayment(t *testing.T) {
	t.Parallel()
	const refunded = "The payment was received, but the rooms are no longer available. It is refunded."
	for name, test := range map[string]struct {
		method hotel.Method
		why    *fault.Fault
		want   string
	}{
		"not known yet":      {hotel.Card, ErrNotCaptured, "The payment was received and is being processed. Try again in a moment."},
		"another amount":     {hotel.Card, ErrNotCaptured.After(0), "The payment was not the amount of the booking. It is refunded."},
		"hold expired":       {hotel.Card, ErrHoldExpired, refunded},
		"sold out":           {hotel.MobileMoney, ErrOverbooked, refunded},
		"hold expired, cash": {hotel.CashOnArrival, ErrHoldExpired, ErrHoldExpired.Detail},
		"service away":       {hotel.Card, fault.ErrUnavailable, fault.ErrUnavailable.Detail},
	} {
		t.Run(name, func(t *testing.T) {
			d := aDraft(Paying)
			d.Payment.Method = test.method
			s := &Settler{saved{}, refusal{test.why}, paid{}, func() time.Time { return noon }}
			if got := fault.From(s.Confirm(t.Context(), d)); got == nil || got.Detail != test.want {
				t.Errorf("Confirm returns %v, want %q", got, test.want)
			}
		})
	}
}

// confirmedMeanwhile is a reservation service where the reservation is cancelled when first read, and then confirmed.
type confirmedMeanwhile struct {
	refusal
	reads *int
}

func (r confirmedMeanwhile) Get(ctx context.Context, t id.Tenant, rsv id.Reservation) (Reservation, error) {
	got, err := r.refusal.Get(ctx, t, rsv)
	if *r.reads++; *r.reads == 1 {
		got.State = "cancelled"
	} else {
		got.State, got.ConfirmedAt = "confirmed", &noon
	}
	return got, err
}

// unpaid is a payment service where no payment has begun.
type unpaid struct{}

func (unpaid) Get(context.Context, *Draft) (PaymentState, error) { return PaymentState{}, nil }

func TestPayable_confirmedMeanwhile(t *testing.T) {
	t.Parallel()
	d, reads := aDraft(Paying), 0
	s := &Settler{saved{}, confirmedMeanwhile{reads: &reads}, unpaid{}, func() time.Time { return noon }}
	if err := s.Payable(t.Context(), d); !errors.Is(err, ErrDraftClosed) || d.State != Confirmed {
		t.Errorf("Payable returns %v for a draft that is %s, want %v for a confirmed one", err, d.State, ErrDraftClosed)
	}
}

// TestPayKey checks that the key depends on method and language, because the return URL contains the language.
func TestPayKey(t *testing.T) {
	t.Parallel()
	d := aDraft(CollectingDetails)
	first, again := d.PayKey(hotel.Card), d.PayKey(hotel.Card)
	d.Locale = "en"
	other := d.PayKey(hotel.Card)
	if first != again || first == other || other == d.PayKey(hotel.MobileMoney) {
		t.Errorf("keys %s, %s, in another language %s, want a new one for a language or method only", first, again, other)
	}
}
