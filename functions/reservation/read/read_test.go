package read

import (
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestRead(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	held := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	serve, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	read := func(tenant id.Tenant) (booking.View, error) {
		return serve(t.Context(), reservation.Call[Request]{
			Call:      fn.Call[Request]{In: Request{ID: held.ID}},
			Principal: booking.Principal{Scope: booking.Scope{Tenant: tenant}},
		})
	}
	if view, err := read(held.Tenant); err != nil || view.State != booking.Held || view.Code != held.Code {
		t.Errorf("held: %+v, %v", view, err)
	}
	db.Advance(reservationtest.TTL) // without a sweep
	if view, err := read(held.Tenant); err != nil || view.State != booking.ExpiredHold {
		t.Errorf("over: %+v, %v", view, err)
	}
	if _, err := read(id.New[id.Tenant]()); !errors.Is(err, booking.ErrNotFound) {
		t.Errorf("another tenant: %v", err)
	}
}
