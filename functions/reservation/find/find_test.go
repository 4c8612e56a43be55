package find

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

func TestRequest_Validate(t *testing.T) {
	t.Parallel()
	property, date := fntest.Some(id.New[id.Property]()), fntest.Some(reservationtest.Ask(t, id.Property{}).Stay.Start)
	for _, test := range []struct {
		name string
		in   Request
		ok   bool
	}{
		{"by code", Request{Code: fntest.Some("GM-234679")}, true},
		{"who arrives", Request{Arrivals: property, Date: date}, true},
		{"who is in the house", Request{InHouse: property, Limit: fntest.Some(200)}, true},
		{"nothing", Request{}, false},
		{"two things", Request{Code: fntest.Some("GM-234679"), InHouse: property}, false},
		{"who arrives one day or other", Request{Arrivals: property}, false},
		{"a day alone", Request{Code: fntest.Some("GM-234679"), Date: date}, false},
		{"everybody at once", Request{InHouse: property, Limit: fntest.Some(201)}, false},
		{"nobody", Request{InHouse: property, Limit: fntest.Some(0)}, false},
	} {
		if err := test.in.Validate(); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	e := db.Env()
	tenant, property := id.New[id.Tenant](), id.New[id.Property]()
	var all []*booking.Reservation
	for range 5 {
		all = append(all, reservationtest.Held(t, e, tenant, property))
	}
	for _, r := range all[1:] {
		reservationtest.Confirm(t, db, r)
	}
	reservationtest.Confirm(t, db, reservationtest.Held(t, e, tenant, id.New[id.Property]()))
	reservationtest.Confirm(t, db, reservationtest.Held(t, e, id.New[id.Tenant](), property))
	if _, err := db.Owner(t).Exec(t.Context(), `UPDATE reservation.reservations SET state = 'checked_in' WHERE reservation_id = $1`, all[4].ID); err != nil {
		t.Fatal(err)
	}
	date := fntest.Some(all[0].Start)
	for _, test := range []struct {
		name string
		in   Request
		want []*booking.Reservation
	}{
		{"by code", Request{Code: fntest.Some(all[0].Code)}, all[:1]},
		{"by code in small letters", Request{Code: fntest.Some(strings.ToLower(all[0].Code))}, all[:1]},
		{"by a code that is nobody's", Request{Code: fntest.Some("GM-AAAAAA")}, nil},
		{"who arrives", Request{Arrivals: fntest.Some(property), Date: date}, all[1:4]},
		{"who arrives, page by page", Request{Arrivals: fntest.Some(property), Date: date, Limit: fntest.Some(2)}, all[1:4]},
		{"who arrives, in pages that just fit", Request{Arrivals: fntest.Some(property), Date: date, Limit: fntest.Some(3)}, all[1:4]},
		{"nobody arrives the day after", Request{Arrivals: fntest.Some(property), Date: fntest.Some(all[0].End)}, nil},
		{"who is in the house", Request{InHouse: fntest.Some(property)}, all[4:]},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []id.Reservation
			for _, r := range test.want {
				want = append(want, r.ID)
			}
			slices.SortFunc(want, func(a, b id.Reservation) int { return slices.Compare(a[:], b[:]) })
			if got := pages(t, db, tenant, test.in); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// pages reads all pages.
func pages(t *testing.T, db *pgtest.Database, tenant id.Tenant, in Request) (found []id.Reservation) {
	t.Helper()
	serve, err := New(db.Env())
	if err != nil {
		t.Fatal(err)
	}
	for {
		out, err := serve(t.Context(), reservation.Call[Request]{
			Call:      fn.Call[Request]{In: in},
			Principal: booking.Principal{Scope: booking.Scope{Tenant: tenant}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Reservations {
			found = append(found, r.Reservation)
		}
		if out.NextCursor == nil {
			return found
		}
		in.Cursor = fntest.Some(*out.NextCursor)
	}
}
