package booking

import (
	"context"
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

// A refusal is a reservation service that rejects every confirmation with this error.
type refusal struct{ why error }

func (r refusal) Get(_ context.Context, t id.Tenant, rsv id.Reservation) (Reservation, error) {
	return Reservation{ID: rsv, Tenant: t, State: "held"}, nil
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
		"the reservation service does not know of it yet": {ErrNotCaptured, Confirming},
		"it was given back": {ErrNotCaptured.After(0), Failed},
	} {
		d := aDraft(Paying)
		s := &Settler{saved{}, refusal{test.why}, paid{}, func() time.Time { return noon }}
		if err := s.Close(t.Context(), d); d.State != test.want || errors.Is(err, ErrNotCaptured) == d.State.Ended() {
			t.Errorf("%s: %s, %v", name, d.State, err)
		}
		guest := aDraft(Paying)
		if err := s.Returned(t.Context(), guest); !errors.Is(err, ErrNotCaptured) || guest.State != test.want {
			t.Errorf("%s: got error %v and draft state %s", name, err, guest.State)
		}
	}
}
