package booking

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// noon is the fixed time of these tests. The clock of the database, which they do not set, is earlier, so nothing they store is over for it.
var noon = time.Date(2037, 11, 20, 12, 0, 0, 0, time.UTC)

func night(t testing.TB, text string) stay.Date {
	t.Helper()
	d, err := stay.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// anAsk returns an ask for two rooms for two nights.
func anAsk(t testing.TB) Ask {
	t.Helper()
	room := AskedItem{id.New[id.RoomType](), id.New[id.RatePlan](), stay.Occupants{Adults: 2, Children: 1}}
	other := AskedItem{id.New[id.RoomType](), id.New[id.RatePlan](), stay.Occupants{Adults: 1}}
	session := id.New[id.TenantSession]()
	return Ask{
		Property: id.New[id.Property](), Items: []AskedItem{room, other}, Currency: money.USD, Locale: "fa-AF", Session: &session, Promo: "NAWROZ",
		Stay: Stay{Start: night(t, "2037-12-01"), End: night(t, "2037-12-03")},
	}
}

// aPrice returns pricing's answer to an ask: 100 and 2.50 tax per room and night.
func aPrice(a Ask, until time.Time) Price { return priceAt(a, until, 100_000_000) }

// priceAt returns pricing's answer to an ask: a rate and 2.50 tax per room and night.
func priceAt(a Ask, until time.Time, rate money.Micro) Price {
	const tax = 2_500_000
	own, afghani := money.Micro(28_700_000_000), money.AFN
	p := Price{
		Totals: PriceTotals{Totals{0, a.Currency}, Own{&own, &afghani}}, ValidUntil: until,
		Policy: Policy{Ref: "pol_flex/1", FreeUntil: 48, PenaltyPercent: 50, Description: "Free until two days before."},
	}
	for _, item := range a.Items {
		priced := PricedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Nightly: rate}
		for _, date := range a.Stay.Dates() {
			priced.Nights = append(priced.Nights, Night{date, rate + tax, rate})
			priced.Total += rate + tax
		}
		p.Items = append(p.Items, priced)
		p.Lines = append(p.Lines, Line{"room", "Room", priced.Total})
		p.Totals.Grand += priced.Total
	}
	return p
}

// aBasis returns the terms of a property in Kabul, four and a half hours ahead of UTC.
func aBasis() Basis {
	return Basis{Settings{HoldTTL: defaultHold, NoShowGrace: 6, Region: "gcp-me-central1"}, Local{"Asia/Kabul", "14:00", "12:00"}}
}

// aQuote returns a quote that is read at noon and valid for another half hour.
func aQuote(t testing.TB, tenant id.Tenant) *Quote {
	t.Helper()
	ask := anAsk(t)
	q, err := NewQuote(id.New[id.Request](), tenant, aBasis(), ask, aPrice(ask, noon.Add(30*time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	q.AsOf = noon
	return q
}

// aHeld returns a reservation that is held at noon for ten minutes, and read then.
func aHeld(t testing.TB) *Reservation {
	t.Helper()
	r, err := aQuote(t, id.New[id.Tenant]()).Reserve(Details{
		Act: id.New[id.Request](), Channel: Direct, CreatedBy: Actor{Guest, "gst_someone"}, TTL: 10 * time.Minute,
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
	if _, err := r.StartCheckIn(rooms, of, Actor{Staff, "usr_desk"}, arrival); err != nil {
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
	m := Modification{ID: id.New[id.Modification](), Type: GuestProfileUpdate, OccurredAt: noon, Actor: Actor{Staff, "usr_desk"}}
	hash := strings.Repeat("ab", 32)
	if err := r.modify(m, ProfileOf{Locale: "fa-AF"}, ProfileOf{Hashes: contactHash{Email: hash, Phone: hash}, Locale: "fa-AF"}); err != nil {
		t.Fatal(err)
	}
	return r
}

// movedOne returns a confirmed reservation that stays a night longer.
func movedOne(t testing.TB) *Reservation {
	t.Helper()
	r := confirmedOne(t)
	to := Stay{Start: r.Stay.Start, End: r.Stay.End.AddDays(1)}
	ask := r.priced(r.Items, to)
	p, err := r.changeDates(id.New[id.Request](), to, to, aPrice(ask, noon))
	if err != nil {
		t.Fatal(err)
	}
	p.Modification.ID, p.OccurredAt, p.Actor = id.New[id.Modification](), noon, Actor{Staff, "usr_desk"}
	if err := r.apply(p, noon); err != nil {
		t.Fatal(err)
	}
	return r
}

// cost makes the stay dearer.
func (r *Reservation) cost(more money.Micro) {
	r.Extras = append(slices.Clone(r.Extras), Line{"fee", "Something else", more})
	r.post(posting{cause: ByBooking, at: noon})
}
