package cancel

import (
	"errors"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func call(e env.Env, r *booking.Reservation, change func(*Request)) reservation.Call[Request] {
	in := Request{ID: r.ID, Code: booking.AskedReason(booking.GuestCancelled)}
	if change != nil {
		change(&in)
	}
	return reservation.Call[Request]{
		Call:      fn.Call[Request]{In: in, Act: id.New[id.Request](), Now: e.Now()},
		Principal: access.Principal{Scope: access.Scope{Tenant: r.Tenant}, Actor: access.Actor{Type: access.System, ID: "bff"}},
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	dry := func(r *Request) { r.DryRun = true }
	onlyHeld := func(r *Request) { r.OnlyHeld = true }
	for _, test := range []struct {
		name      string
		confirmed bool
		wait      time.Duration
		change    func(*Request)
		want      error
		state     booking.State
		events    []string
	}{
		{"live hold", false, 0, nil, nil, booking.Cancelled, []string{"held", "cancelled"}},
		{"reason of the hotel from another service", false, 0, func(r *Request) { r.Code = booking.AskedReason(booking.StaffCancelled) }, fault.ErrForbidden, booking.Held, []string{"held"}},
		{"live hold, holds only", false, 0, onlyHeld, nil, booking.Cancelled, []string{"held", "cancelled"}},
		{"dry run", false, 0, dry, nil, booking.Held, []string{"held"}},
		{"expired hold", false, reservationtest.TTL, nil, booking.ErrIllegalTransition, booking.ExpiredHold, []string{"held"}},
		{"expired hold, holds only", false, reservationtest.TTL, onlyHeld, nil, booking.Cancelled, []string{"held", "cancelled"}},
		{"confirmed reservation", true, 0, nil, nil, booking.Cancelled, []string{"held", "confirmed", "cancelled"}},
		{"confirmed reservation after its stay", true, 11 * 366 * 24 * time.Hour, nil, booking.ErrIllegalTransition, booking.Confirmed, []string{"held", "confirmed"}},
		{"confirmed reservation, holds only", true, 0, onlyHeld, booking.ErrIllegalTransition, booking.Confirmed, []string{"held", "confirmed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
			if test.confirmed {
				reservationtest.Confirm(t, db, r)
			}
			db.Advance(test.wait)
			cancel, err := New(db.Env())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cancel(t.Context(), call(db.Env(), r, test.change)); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if now := reservationtest.Now(t, db, r); now.EffectiveState() != test.state {
				t.Errorf("state is %s, want %s", now.EffectiveState(), test.state)
			}
			reservationtest.ExpectEvents(t, db, r, test.events...)
		})
	}
}
