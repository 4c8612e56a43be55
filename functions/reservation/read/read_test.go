package read

import (
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
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
	read := func(tenant id.Tenant, actor access.Actor) (Response, error) {
		return serve(t.Context(), reservation.Call[Request]{
			Call:      fn.Call[Request]{In: Request{ID: held.ID}},
			Principal: access.Principal{Scope: access.Scope{Tenant: tenant}, Actor: actor},
		})
	}
	service, staff := access.Actor{Type: access.System, ID: "bff"}, access.Actor{Type: access.Staff, ID: "usr_desk"}
	out, err := read(held.Tenant, service)
	if err != nil {
		t.Fatal(err)
	}
	if out.State != booking.Held || out.Code != held.Code {
		t.Errorf("read() = %s %s, want %s %s", out.Code, out.State, held.Code, booking.Held)
	}
	if out.Requests != nil {
		t.Errorf("a service sees the special requests %v", out.Requests)
	}
	if out, err = read(held.Tenant, staff); err != nil || out.Requests == nil {
		t.Errorf("staff see the special requests %v, %v, want a list", out.Requests, err)
	}
	db.Advance(reservationtest.TTL) // without a sweep
	if out, err = read(held.Tenant, service); err != nil || out.State != booking.ExpiredHold {
		t.Errorf("after the hold: read() = %s, %v, want %s", out.State, err, booking.ExpiredHold)
	}
	if _, err := read(id.New[id.Tenant](), service); !errors.Is(err, booking.ErrNotFound) {
		t.Errorf("of another tenant: read() error = %v, want %v", err, booking.ErrNotFound)
	}
}
