package booking

import (
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// aStoredBooking returns a stored, confirmed reservation of one property that arrives on 1 December.
func aStoredBooking(t testing.TB, db *pgtest.Database, tenant id.Tenant) *Reservation {
	t.Helper()
	r := aStored(t, db.Env(), tenant)
	if err := r.Confirm(aCapture(r), r.Hold, noon); err != nil {
		t.Fatal(err)
	}
	if err := save(t, OpenReservations(db.Env()), r, ReservationConfirmed(r)); err != nil {
		t.Fatal(err)
	}
	return r
}

// save saves the reservation in a transaction of its tenant.
func save(t testing.TB, s Reservations, r *Reservation, events ...event.Draft) error {
	t.Helper()
	return s.In(t.Context(), r.Tenant, func(tx postgres.Tx) error { return s.Save(t.Context(), tx, r, events...) })
}

func TestSave_roomTaken(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s, tenant := OpenReservations(db.Env()), id.New[id.Tenant]()
	first, second := aStoredBooking(t, db, tenant), aStoredBooking(t, db, tenant)
	for i := range second.Items {
		second.Items[i].RoomType = first.Items[i].RoomType
	}
	of, rooms := roomsFor(first)
	if _, err := first.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, arrival); err != nil {
		t.Fatal(err)
	}
	if err := save(t, s, first, CheckInBegun(first)); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Get(t.Context(), access.Scope{Tenant: tenant}, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := stored.Rooms(); len(got) != len(rooms) || got[0] != rooms[0] {
		t.Errorf("Rooms() = %v, want %v", got, rooms)
	}
	for i := range rooms {
		rooms[i].Item = second.Items[i].ID
	}
	if _, err := second.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, arrival); err != nil {
		t.Fatal(err)
	}
	if err := save(t, s, second, CheckInBegun(second)); !errors.Is(err, ErrRoomUnavailable) {
		t.Errorf("the second guest in the same rooms: %v, want %v", err, ErrRoomUnavailable)
	}
}
