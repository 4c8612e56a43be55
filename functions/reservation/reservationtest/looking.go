package reservationtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// ExpectEvents fails the test unless the events of a reservation, in order, are want. Names are short ("held").
func ExpectEvents(t testing.TB, db *pgtest.Database, r *booking.Reservation, want ...string) {
	t.Helper()
	rows, _ := db.Owner(t).Query(t.Context(), `
		SELECT subject FROM reservation.outbox WHERE ordering_key = @key ORDER BY seq`,
		pgx.StrictNamedArgs{"key": r.Tenant.String() + ":" + r.ID.String()})
	published, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range published {
		published[i] = strings.TrimSuffix(strings.TrimPrefix(s, "melmastoon.reservation."), ".v1")
	}
	if !slices.Equal(published, want) {
		t.Errorf("published %v, want %v", published, want)
	}
}

// Now returns the current state of a reservation.
func Now(t testing.TB, db *pgtest.Database, r *booking.Reservation) *booking.Reservation {
	t.Helper()
	read, err := booking.OpenReservations(db.Env()).Get(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// Confirm confirms a reservation with a cash promise.
func Confirm(t testing.TB, db *pgtest.Database, r *booking.Reservation) {
	t.Helper()
	s := booking.OpenReservations(db.Env())
	promise := booking.Intent{
		ID: id.New[id.Intent](), Tenant: r.Tenant, Reservation: r.ID, Method: booking.CashOnArrival,
		Status: booking.PendingCash, Amount: r.Total, Currency: r.Currency,
	}
	if err := r.Confirm(promise, r.Hold, db.Env().Now()); err != nil {
		t.Fatal(err)
	}
	save := func(tx postgres.Tx) error {
		return s.Save(t.Context(), tx, r, booking.ReservationConfirmed(r))
	}
	if err := s.In(t.Context(), r.Tenant, save); err != nil {
		t.Fatal(err)
	}
}

// StartCheckIn assigns a room to each item of a confirmed reservation, in the afternoon of the arrival day in Kabul. Its keys are
// outstanding.
func StartCheckIn(t testing.TB, db *pgtest.Database, r *booking.Reservation) {
	t.Helper()
	var of []booking.Room
	var rooms []booking.AssignedRoom
	for _, item := range r.Items {
		room := booking.Room{ID: id.New[id.Room](), Type: item.RoomType, Number: "101"}
		of, rooms = append(of, room), append(rooms, booking.AssignedRoom{Item: item.ID, Room: room.ID})
	}
	if _, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, r.Stay.Start.Time().Add(12*time.Hour)); err != nil {
		t.Fatal(err)
	}
	s := booking.OpenReservations(db.Env())
	save := func(tx postgres.Tx) error { return s.Save(t.Context(), tx, r, booking.CheckInBegun(r)) }
	if err := s.In(t.Context(), r.Tenant, save); err != nil {
		t.Fatal(err)
	}
}

// Deliver returns a delivery of a new event of the reservation's tenant to a processor.
func Deliver(r *booking.Reservation, processor string) event.Delivery {
	return event.Delivery{EventID: id.New[id.Event](), Subject: "melmastoon.test.v1", Tenant: &r.Tenant, Processor: processor}
}
