package confirm

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

func TestRequest_Validate(t *testing.T) {
	t.Parallel()
	intent := id.New[id.Intent]()
	for _, test := range []struct {
		name   string
		method booking.Method
		intent *id.Intent
		ok     bool
	}{
		{name: "card with intent", method: booking.Card, intent: &intent, ok: true},
		{name: "card without intent", method: booking.Card, intent: nil, ok: false},
		{name: "mobile money without intent", method: booking.MobileMoney, intent: nil, ok: false},
		{name: "cash without intent", method: booking.CashOnArrival, intent: nil, ok: true},
		{name: "cash with intent", method: booking.CashOnArrival, intent: &intent, ok: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := (Request{Method: test.method, Intent: test.intent}).Validate(); (err == nil) != test.ok {
				t.Errorf("error = %v, want nil: %t", err, test.ok)
			}
		})
	}
}

// settled is a use case with a fixed result.
type settled struct {
	claim booking.Claim
	err   error
}

func (s *settled) Confirm(_ context.Context, c booking.Claim, _ booking.Within) (*booking.Reservation, error) {
	s.claim = c
	return &booking.Reservation{ID: c.Reservation, State: booking.Confirmed}, s.err
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, want := range []error{nil, booking.ErrOverbooked, booking.ErrNotCaptured} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			useCase := &settled{err: want}
			intent := id.New[id.Intent]()
			in := Request{ID: id.New[id.Reservation](), Method: booking.Card, Intent: &intent}
			reach := access.Scope{Tenant: id.New[id.Tenant](), Properties: []id.Property{}}
			view, err := (&handler{useCase: useCase}).confirm(t.Context(), reservation.Call[Request]{
				Call: fn.Call[Request]{In: in}, Principal: access.Principal{Scope: reach},
			})
			if !errors.Is(err, want) {
				t.Errorf("error = %v, want %v", err, want)
			}
			if err == nil {
				if view.Reservation != in.ID {
					t.Errorf("view.Reservation = %v, want %v", view.Reservation, in.ID)
				}
				if view.State != booking.Confirmed {
					t.Errorf("view.State = %v, want %v", view.State, booking.Confirmed)
				}
			}
			c := useCase.claim
			if c.Reservation != in.ID {
				t.Errorf("c.Reservation = %v, want %v", c.Reservation, in.ID)
			}
			if c.Intent != in.Intent {
				t.Errorf("c.Intent = %v, want %v", c.Intent, in.Intent)
			}
			if c.Method != in.Method {
				t.Errorf("c.Method = %v, want %v", c.Method, in.Method)
			}
			if c.Tenant != reach.Tenant {
				t.Errorf("c.Tenant = %v, want %v", c.Tenant, reach.Tenant)
			}
			if c.Properties == nil {
				t.Error("c.Properties = nil")
			}
		})
	}
}
