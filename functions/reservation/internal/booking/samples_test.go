package booking

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/quotestest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

var noon = quotestest.Noon

func night(t testing.TB, text string) stay.Date {
	t.Helper()
	d, err := stay.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// aHeld returns a reservation that is held at noon for ten minutes, and read then.
func aHeld(t testing.TB) *Reservation {
	t.Helper()
	r, err := Reserve(quotestest.Quote(t, id.New[id.Tenant]()), Details{
		Act: id.New[id.Request](), Channel: Direct, CreatedBy: access.Actor{Type: access.Guest, ID: "gst_someone"}, TTL: 10 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartHold(HoldResult{noon, noon.Add(10 * time.Minute)}); err != nil {
		t.Fatal(err)
	}
	r.AsOf = noon
	return r
}

// anExpired returns the same reservation, read at its expiry.
func anExpired(t testing.TB) *Reservation {
	t.Helper()
	r := aHeld(t)
	r.AsOf = r.Hold.ExpiresAt
	return r
}

// aCapture returns a captured intent over the whole price.
func aCapture(r *Reservation) Intent {
	e := id.New[id.Event]()
	return Intent{
		ID: id.New[id.Intent](), Tenant: r.Tenant, Reservation: r.ID, Method: Card, Status: Captured,
		Amount: r.Total, Currency: r.Currency, Captured: r.Total, CaptureEvent: &e,
	}
}

// aPromise returns an intent for cash on arrival.
func aPromise(r *Reservation) Intent {
	return Intent{ID: id.New[id.Intent](), Tenant: r.Tenant, Reservation: r.ID, Method: CashOnArrival, Status: PendingCash, Amount: r.Total, Currency: r.Currency}
}

// arrival is a time at which the guest of aHeld can check in: three in the afternoon of the arrival day in Kabul.
var arrival = time.Date(2037, 12, 1, 10, 30, 0, 0, time.UTC)

// roomsFor returns a physical room for each item, as the property service lists them, and their assignment.
func roomsFor(r *Reservation) (of []Room, assigned []AssignedRoom) {
	for i, item := range r.Items {
		room := Room{ID: id.New[id.Room](), Type: item.RoomType, Number: strconv.Itoa(101 + i)}
		of, assigned = append(of, room), append(assigned, AssignedRoom{item.ID, room.ID})
	}
	return of, assigned
}

// aCheckInStarted returns a reservation whose keys are outstanding.
func aCheckInStarted(t testing.TB) *Reservation {
	t.Helper()
	r := confirmedOne(t)
	of, rooms := roomsFor(r)
	if _, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, arrival); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkedInOne returns a reservation whose guest has checked in with electronic keys.
func checkedInOne(t testing.TB) *Reservation {
	t.Helper()
	r := aCheckInStarted(t)
	issueKeys(t, r)
	return r
}

// issueKeys completes a check-in with electronic keys.
func issueKeys(t testing.TB, r *Reservation) {
	t.Helper()
	for _, k := range r.Keys {
		k.Status = KeyIssued
		if _, err := r.SetKey(k); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := r.FinishKeys(arrival); err != nil || !done {
		t.Fatalf("FinishKeys() = %v, %v", done, err)
	}
}

// modifiedOne returns a confirmed reservation with new contact data.
func modifiedOne(t testing.TB) *Reservation {
	t.Helper()
	r := confirmedOne(t)
	m := Modification{ID: id.New[id.Modification](), Type: GuestProfileUpdate, OccurredAt: noon, Actor: access.Actor{Type: access.Staff, ID: "usr_desk"}}
	hash := strings.Repeat("ab", 32)
	if err := r.modify(m, ProfileOf{Locale: "fa-AF"}, ProfileOf{Hashes: guests.ContactHash{Email: hash, Phone: hash}, Locale: "fa-AF"}); err != nil {
		t.Fatal(err)
	}
	return r
}

// movedOne returns a confirmed reservation that stays a night longer.
func movedOne(t testing.TB) *Reservation {
	t.Helper()
	r := confirmedOne(t)
	to := stay.Window{Start: r.Stay.Start, End: r.Stay.End.AddDays(1)}
	ask := r.priced(r.Items, to)
	p, err := r.changeDates(id.New[id.Request](), to, to, quotestest.Price(ask, noon))
	if err != nil {
		t.Fatal(err)
	}
	p.Modification.ID, p.OccurredAt, p.Actor = id.New[id.Modification](), noon, access.Actor{Type: access.Staff, ID: "usr_desk"}
	if err := r.apply(p, noon); err != nil {
		t.Fatal(err)
	}
	return r
}

// cost makes the stay dearer.
func (r *Reservation) cost(more money.Micro) {
	r.Extras = append(slices.Clone(r.Extras), quotes.Line{Kind: "fee", Description: "Something else", Amount: more})
	r.post(account.Posting{Cause: account.ByBooking, At: noon})
}
