package booking

import (
	"context"
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
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
			if d.State != test.want {
				t.Errorf("Close makes the draft %s, want %s", d.State, test.want)
			}
			if got, want := errors.Is(err, ErrNotCaptured), !d.State.Ended(); got != want {
				t.Errorf("Close returns %v, want ErrNotCaptured: %t", err, want)
			}
			d = aDraft(Paying)
			if err := s.Returned(t.Context(), d); !errors.Is(err, ErrNotCaptured) {
				t.Errorf("Returned returns %v, want ErrNotCaptured", err)
			}
			if d.State != test.want {
				t.Errorf("Returned makes the draft %s, want %s", d.State, test.want)
			}
		})
	}
}
