package paymentrefunded

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
	claim booking.RefundClaim
	err   error
}

func (s *settled) Record(_ context.Context, c booking.RefundClaim, _ booking.Within) error {
	s.claim = c
	return s.err
}

func TestRecord_outcomes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want error
	}{
		{"recorded", nil, nil},
		{"unknown to payment yet", booking.ErrNotCaptured, booking.ErrNotCaptured},
		{"of another reservation", booking.ErrNotCaptured.Because(booking.ErrForeign), fn.DeadLetter(booking.ErrNotCaptured.Because(booking.ErrForeign))},
		{"of no reservation", booking.ErrNotFound, fn.DeadLetter(booking.ErrNotFound)},
		{"payment is away", fault.ErrUpstreamUnavailable, fault.ErrUpstreamUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			useCase, tenant := &settled{err: test.err}, id.New[id.Tenant]()
			e := event.Event[Refunded]{
				Payload:  Refunded{Reservation: id.New[id.Reservation](), Intent: id.New[id.Intent]()},
				Delivery: event.Delivery{EventID: id.New[id.Event](), Tenant: &tenant},
			}
			err := (&handler{useCase: useCase}).record(t.Context(), e)
			if fmt.Sprint(err) != fmt.Sprint(test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if got := useCase.claim.Event; got != e.Delivery.EventID {
				t.Errorf("the event is %s, want %s", got, e.Delivery.EventID)
			}
			if got := useCase.claim.Reservation; got != e.Payload.Reservation {
				t.Errorf("the reservation is %s, want %s", got, e.Payload.Reservation)
			}
			if got := useCase.claim.Intent; got != e.Payload.Intent {
				t.Errorf("the intent is %s, want %s", got, e.Payload.Intent)
			}
			if got := useCase.claim.Tenant; got != tenant {
				t.Errorf("the tenant is %s, want %s", got, tenant)
			}
		})
	}
}
