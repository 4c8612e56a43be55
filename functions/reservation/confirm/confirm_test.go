package confirm

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

func TestRequest_Validate(t *testing.T) {
	t.Parallel()
	intent := id.New[id.Intent]()
	for _, test := range []struct {
		method reservation.Method
		intent *id.Intent
		ok     bool
	}{
		{reservation.Card, &intent, true},
		{reservation.Card, nil, false},
		{reservation.MobileMoney, nil, false},
		{reservation.CashOnArrival, nil, true},
		{reservation.CashOnArrival, &intent, true},
	} {
		if err := (Request{Method: test.method, Intent: test.intent}).Validate(); (err == nil) != test.ok {
			t.Errorf("%s with %v: %v", test.method, test.intent, err)
		}
	}
}

// settled is a use case with a fixed result.
type settled struct {
	claim reservation.Claim
	err   error
}

func (s *settled) Confirm(_ context.Context, c reservation.Claim, _ reservation.Within) (*reservation.Reservation, error) {
	s.claim = c
	return &reservation.Reservation{ID: c.Reservation, State: reservation.Confirmed}, s.err
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, want := range []error{nil, reservation.ErrOverbooked, reservation.ErrNotCaptured} {
		useCase := &settled{err: want}
		intent := id.New[id.Intent]()
		in := Request{ID: id.New[id.Reservation](), Method: reservation.Card, Intent: &intent}
		reach := reservation.Scope{Tenant: id.New[id.Tenant](), Properties: []id.Property{}}
		view, err := (&confirmer{useCase: useCase}).confirm(t.Context(), reservation.Call[Request]{
			Call: fn.Call[Request]{In: in}, Principal: reservation.Principal{Scope: reach},
		})
		if !errors.Is(err, want) || err == nil && (view.Reservation != in.ID || view.State != reservation.Confirmed) {
			t.Errorf("got %v, %v; want %v", view, err, want)
		}
		c := useCase.claim
		if c.Reservation != in.ID || c.Intent != in.Intent || c.Method != in.Method || c.Tenant != reach.Tenant || c.Properties == nil {
			t.Errorf("claimed %v of %v", c, in)
		}
	}
}
