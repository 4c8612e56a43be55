package paymentfailed

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func nothing(testing.TB, *pgtest.Database, *booking.Reservation) {}

// others is a payment service with or without other intents that may pay.
type others bool

func (o others) Pending(context.Context, id.Tenant, id.Reservation) (bool, error) {
	return bool(o), nil
}

func aCanceller(db *pgtest.Database, pending bool) *handler {
	e := db.Env()
	return &handler{postgres.Open(e, service.Schema), others(pending), booking.OpenReservations(e), e.Now}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		given   func(testing.TB, *pgtest.Database, *booking.Reservation)
		pending bool // another intent may pay
		state   booking.State
		events  []string
	}{
		{"live hold", nothing, false, booking.Cancelled, []string{"held", "cancelled"}},
		{"another pending intent", nothing, true, booking.Held, []string{"held"}},
		{"expired hold", func(_ testing.TB, db *pgtest.Database, _ *booking.Reservation) {
			db.Advance(reservationtest.TTL)
		}, false, booking.ExpiredHold, []string{"held"}},
		{"confirmed by another payment", reservationtest.Confirm, false, booking.Confirmed, []string{"held", "confirmed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			r := reservationtest.Held(t, db.Env(), id.New[id.Tenant](), id.New[id.Property]())
			test.given(t, db, r)
			handle := aCanceller(db, test.pending).cancel
			e := event.Event[Failed]{Payload: Failed{r.ID}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
			for range 5 { // five deliveries have one effect
				if err := handle(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			if got := reservationtest.Now(t, db, r); got.EffectiveState() != test.state || got.State == booking.Cancelled && got.Cancellation.Code != booking.PaymentFailed {
				t.Errorf("state is %s, want %s", got.EffectiveState(), test.state)
			} else if got.State == booking.Cancelled && (got.Cancellation.Cause == nil || *got.Cancellation.Cause != e.Delivery.EventID) {
				t.Errorf("cancelled because of %v, want %s", got.Cancellation.Cause, e.Delivery.EventID)
			}
			reservationtest.ExpectEvents(t, db, r, test.events...)
		})
	}
}

func TestCancel_unknownReservation(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := &booking.Reservation{Tenant: id.New[id.Tenant](), ID: id.New[id.Reservation]()}
	handle := aCanceller(db, false).cancel
	e := event.Event[Failed]{Payload: Failed{r.ID}, Delivery: reservationtest.Deliver(r, Function.Spec.Name)}
	if err := handle(t.Context(), e); !errors.Is(err, booking.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
