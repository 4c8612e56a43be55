package storefront_test

import (
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

// stayed opens the page of a confirmed booking.
func (g *browser) stayed() *browser {
	g.t.Helper()
	return g.open(home + "/confirmations/" + g.booking.booked.String())
}

// cancelling opens the page of the cancellation.
func (g *browser) cancelling() *browser {
	g.t.Helper()
	return g.open(home + "/confirmations/" + g.booking.booked.String() + "/cancellation?t=k.token")
}

func TestCancel(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d).stayed().sees("Cancel this booking", "/cancellation?t=k.token")
	g.cancelling().sees("Do you want to cancel", "Cancelling is free until", "AFN 24,200", "Cancel the booking", "Keep the booking")
	g.send("/cancellation").sees("Your booking is cancelled.", "This reservation is no longer valid", "You get AFN 24,200 back")
	g.lacks("/cancellation").sees("Paid (Card)", "Remove from the calendar (.ics)")
	if got, want := d.asked[len(d.asked)-5:], []string{"POST cancel", "POST cancel", "GET bootstrap", "GET properties", "GET reservation"}; !slices.Equal(got, want) {
		t.Errorf("the last calls are %v, want %v", got, want)
	}
	g.cancelling().sees("This reservation is no longer valid") // another window that is out of date
	d.refunded = 10000
	g.stayed().sees("Refunded: AFN 100, on", "You get AFN 24,200 back") // the rest arrives later
	d.refunded = 2420000
	g.stayed().sees("Refunded: AFN 24,200, on " + e.Now().Add(4*time.Hour+30*time.Minute).UTC().Format("2 January 2006")).lacks("You get")
}

// TestCancel_cash cancels a booking on which nothing was paid: nothing will be.
func TestCancel_cash(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	d.promised = true
	g := browse(t, env.Of(nil), d).stayed().sees("In cash when you arrive")
	g.cancelling().send("/cancellation").sees("Your booking is cancelled.").lacks("In cash when you arrive", "<dt>Payment</dt>")
}

// TestChanges_suspended: the page of the changes says that the hotel accepts none, on the page of the booking.
func TestChanges_suspended(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	d.refuses["GET bootstrap"] = "503 TENANT.SUSPENDED"
	browse(t, env.Of(nil), d).open(home+"/confirmations/"+d.booked.String()+"/changes").sees("Nothing can be changed here at the moment.", "GM-7K2QX9").lacks("try again")
}

// TestChanges_stayBegan sends a request from a page that was opened before the check-in. The guest is told that the hotel does not have it.
func TestChanges_stayBegan(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	g := browse(t, env.Of(nil), d).open(home + "/confirmations/" + d.booked.String() + "/changes")
	d.stay, d.refuses["PATCH reservation"] = "checked_in", "409 RESERVATION.ILLEGAL_TRANSITION"
	g.sendForm("/changes", "Send the request", "request", "A late breakfast").sees("This is not possible any more, for example because the stay has begun.", "GM-7K2QX9")
}

func TestCancel_costsMore(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d).cancelling()
	d.penalty = 1210000
	g.send("/cancellation").sees("Cancelling costs more by now", "Cancelling now costs AFN 12,100. It was free until", "Cancel the booking for AFN 12,100", "AFN 12,100 back")
	g.send("/cancellation").sees("Your booking is cancelled.", "Cancellation fee: AFN 12,100.")
}

func TestCancel_refused(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		name, refusal, stay string
		sees                []string
	}{
		{"stay has begun", "409 RESERVATION.ILLEGAL_TRANSITION", "checked_in", []string{"for example because the stay has begun", "Your room is booked"}},
		{"service is down", "503 BFF.UPSTREAM_UNAVAILABLE", "", []string{"cannot be reached at the moment", "Your room is booked", "Cancel this booking"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			d.stay, d.refuses["POST cancel"] = test.stay, test.refusal
			browse(t, e, d).cancelling().sees(test.sees...)
			late := newFakeBooking(e)
			g := browse(t, e, late).cancelling()
			late.refuses["POST cancel"] = test.refusal
			g.send("/cancellation").sees(test.sees[0])
		})
	}
}

func TestCancel_languages(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for tag, sees := range map[locale.Tag]string{"ps-AF": "بکنګ د", "fa-AF": "رزرو را با هزینهٔ", "fa-IR": "رزرو را با هزینهٔ", "ur-PK": "بکنگ منسوخ", "ar-AE": "إلغاء الحجز مقابل"} {
		d := newFakeBooking(e)
		d.locale, d.offered, d.penalty = tag, []locale.Tag{tag}, 1210000
		browse(t, e, d).cancelling().sees(sees)
	}
}

// TestCancel_neverFree makes a booking before and after the end of its free cancellation, and cancels it after that. No page says of a
// booking that was never free to cancel that it once was.
func TestCancel_neverFree(t *testing.T) {
	t.Parallel()
	const was, no, cost = "It was free until", "Free cancellation is not possible: cancelling costs 100% of the price.", "Cancellation fee: AFN 12,100."
	for _, test := range []struct {
		name         string
		booked       time.Duration // from the end of free cancellation
		stay, cancel string        // on the page of the booking, and on that of its cancellation
		lacks        string
	}{
		{"before", -time.Minute, "Free cancellation is no longer possible", was, no},
		{"at_the_deadline", 0, no, cost, was},
		{"after", time.Minute, no, cost, was},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			d := newFakeBooking(e)
			d.penalty = 1210000
			end := d.deadline()
			d.now = func() time.Time { return end.AddDate(0, 0, 1) } // the deadline stays
			d.bookedAt = end.Add(test.booked)
			g := browse(t, e, d)
			g.stayed().sees(test.stay).lacks(test.lacks)
			g.cancelling().sees(test.cancel).lacks(test.lacks)
		})
	}
}

func TestCancel_neverFreeLanguages(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for tag, sees := range map[locale.Tag]string{"ps-AF": "وړیا لغوه کول ناشوني دي", "fa-AF": "لغو رایگان ممکن نیست", "fa-IR": "لغو رایگان ممکن نیست", "ur-PK": "مفت منسوخی ممکن نہیں", "ar-AE": "الإلغاء المجاني غير ممكن"} {
		t.Run(string(tag), func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(e)
			d.locale, d.offered, d.penalty, d.bookedAt = tag, []locale.Tag{tag}, 1210000, e.Now()
			browse(t, e, d).stayed().sees(sees)
		})
	}
}

// TestCancel_neverFreeAfterCheckIn shows the policy of a booking after the check-in, when its deadline is computed from the dates.
func TestCancel_neverFreeAfterCheckIn(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	e.Advance(time.Date(2027, 3, 21, 10, 0, 0, 0, time.UTC).Sub(e.Now()))
	d := newFakeBooking(e)
	d.stay = "checked_in"
	d.bookedAt = e.Now().AddDate(0, 0, -7)
	g := browse(t, e, d).stayed().sees("Free cancellation is no longer possible")
	d.bookedAt = e.Now().Add(-time.Hour)
	g.stayed().sees("Free cancellation is not possible")
}
