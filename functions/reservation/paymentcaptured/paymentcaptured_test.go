package paymentcaptured

import (
	"context"
	"fmt"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// settled is a use case with a fixed result.
type settled struct {
	claim booking.Claim
	err   error
}

func (s *settled) Confirm(_ context.Context, c booking.Claim, _ booking.Within) (*booking.Reservation, error) {
	s.claim = c
	return nil, s.err
}

func TestConfirm_outcomes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want error
	}{
		{"confirmed", nil, nil},
		{"rooms sold, refunded", booking.ErrOverbooked, nil},
		{"reservation closed, refunded", booking.ErrIllegalTransition, nil},
		{"not captured yet, retried", booking.ErrNotCaptured, booking.ErrNotCaptured},
		{"captured too little, refunded", booking.ErrNotCaptured.Because(booking.ErrTooLittle), nil},
		{"intent of another reservation, dead-lettered", booking.ErrNotCaptured.Because(booking.ErrForeign),
			fn.DeadLetter(booking.ErrNotCaptured.Because(booking.ErrForeign))},
		{"upstream service unavailable, retried", fault.ErrUpstreamUnavailable, fault.ErrUpstreamUnavailable},
		{"unknown reservation, dead-lettered", booking.ErrNotFound, fn.DeadLetter(booking.ErrNotFound)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			useCase, tenant := &settled{err: test.err}, id.New[id.Tenant]()
			e := event.Event[Captured]{Payload: Captured{id.New[id.Reservation](), id.New[id.Intent]()}, Delivery: event.Delivery{Tenant: &tenant}}
			err := (&handler{useCase: useCase}).confirm(t.Context(), e)
			if fmt.Sprint(err) != fmt.Sprint(test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			c := useCase.claim
			if c.Tenant != tenant {
				t.Errorf("c.Tenant = %v, want %v", c.Tenant, tenant)
			}
			if c.Reservation != e.Payload.Reservation {
				t.Errorf("c.Reservation = %v, want %v", c.Reservation, e.Payload.Reservation)
			}
			if *c.Intent != e.Payload.Intent {
				t.Errorf("*c.Intent = %v, want %v", *c.Intent, e.Payload.Intent)
			}
			if c.Method != "" {
				t.Errorf(`c.Method = %q, want ""`, c.Method)
			}
		})
	}
}
