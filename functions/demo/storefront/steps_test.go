package storefront_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// TestResumePage_paying opens a booking with a payment in progress. The payment methods are shown
// only to a guest who has not paid.
func TestResumePage_paying(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	const ways = "How would you like to pay?"
	for _, test := range []struct {
		name, state, step, refusal string
		pending                    bool
		sees                       []string
	}{
		{"paid", "paying", "", "", false, []string{"Your room is booked"}},
		{"paid, and being confirmed", "confirming", "", "", false, []string{"Your room is booked"}},
		{"not yet", "paying", "", "", true, []string{ways}},
		{"being confirmed", "confirming", "", "", true, []string{"Your payment is under way"}},
		{"declined", "paying", "", "402 PAYMENT.DECLINED", false, []string{ways, "The payment was declined"}},
		{"declined while the guest waited", "paying", "waiting", "402 PAYMENT.DECLINED", false, []string{ways, "The payment was declined"}},
		{"not yet, while the guest waits", "paying", "waiting", "", true, []string{"Your payment is under way"}},
		{"promised in cash", "paying", "", "409 BFF.TENANT.ILLEGAL_STEP", false, []string{ways}},
		{"not known", "paying", "", "503 BFF.UPSTREAM_UNAVAILABLE", false, []string{"Your payment is under way", "cannot be reached"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newFakeBooking(e)
			d.state, d.pending = test.state, test.pending
			if test.refusal != "" {
				d.refuses["POST return"] = test.refusal
			}
			g := browse(t, e, d).open(home + "/bookings/" + d.draft.String() + "?step=" + test.step).sees(test.sees...)
			if shown := strings.Contains(g.page, ways); shown != slices.Contains(test.sees, ways) {
				t.Errorf("the ways to pay are shown: %v", shown)
			}
		})
	}
}

// TestChoose_replacesHold chooses rooms while the session holds others. The new rooms replace them, unless those are being paid for.
func TestChoose_replacesHold(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	for _, test := range []struct {
		name, refusal string
		sees          []string
		replaces      []bool // for each quote, whether it is for the draft that holds the others
	}{
		{"unpaid", "", []string{"Who is coming?"}, []bool{true}},
		{"being paid for", "POST quote 409 BFF.TENANT.ILLEGAL_STEP", []string{"Who is coming?"}, []bool{true, false}},
		{"ended meanwhile", "POST quote 409 BFF.TENANT.DRAFT_CLOSED", []string{"Who is coming?"}, []bool{true, false}},
		{"deleted meanwhile", "POST quote 404 GENERAL.RESOURCE_NOT_FOUND", []string{"Who is coming?"}, []bool{true, false}},
		{"sold out", "POST hold 409 RESERVATION.OVERBOOKING_BLOCKED", []string{"Someone was faster"}, []bool{true}},
		{"too many unpaid", "POST hold 429 GENERAL.RATE_LIMITED", []string{"No more rooms can be kept for you at the moment.", "Rooms from 21 March 2027"}, []bool{true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newFakeBooking(e)
			d.active = id.New[id.Draft]()
			if words := strings.SplitN(test.refusal, " ", 3); test.refusal != "" {
				d.refuses[words[0]+" "+words[1]], d.once = words[2], true
			}
			g := browse(t, e, d).open(searched).send("/choices").sees(test.sees...)
			if strings.Contains(g.page, "a little fast") {
				t.Error("the page speaks of speed")
			}
			var replaces []bool
			for i, act := range d.asked {
				if act == "POST quote" {
					replaces = append(replaces, strings.Contains(d.bodies[i], d.active.String()))
				}
			}
			if !slices.Equal(replaces, test.replaces) {
				t.Errorf("the quotes are for the active draft: %v, want %v", replaces, test.replaces)
			}
		})
	}
}

// TestChoose_changedPrice changes the price after it was shown. The site shows both prices, and books
// at the new one if the guest accepts it.
func TestChoose_changedPrice(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.refuses["POST hold"], d.once = "409 BFF.TENANT.PRICE_CHANGED", true
	g := browse(t, e, d).open(searched).send("/choices").sees("The price has changed", "You saw AFN 24,200.", "costs AFN 24,200.50 now", "Book for AFN 24,200.50")
	g.send("/choices").sees("Who is coming?")
	var held, quoted []string
	for i, act := range d.asked {
		switch act {
		case "POST hold":
			held = append(held, d.bodies[i][strings.Index(d.bodies[i], `"total"`):])
		case "POST quote":
			quoted = append(quoted, d.bodies[i])
		}
	}
	want := []string{`"total":{"amountMinor":2420000,"currency":"AFN","exponent":2}}`, `"total":{"amountMinor":2420050,"currency":"AFN","exponent":2}}`}
	if !slices.Equal(held, want) {
		t.Errorf("held at %q, want %q", held, want)
	}
	if len(quoted) != 2 {
		t.Fatalf("got %d requests for a quote, want 2: %q", len(quoted), quoted)
	}
	if strings.Contains(quoted[0], "draftId") {
		t.Errorf("the first quote names a draft: %s", quoted[0])
	}
	if !strings.Contains(quoted[1], d.draft.String()) {
		t.Errorf("the second quote is not for the draft %s: %s", d.draft, quoted[1])
	}
}

// TestChoose_sameRooms books the rooms of an expired hold again. The form is filled with what the guest typed while the hold expired, or
// had sent before.
func TestChoose_sameRooms(t *testing.T) {
	t.Parallel()
	typed := []string{"firstName", "Zarghuna <3", "email", "z@example.com", "phone", "0700123456", "specialRequests", "Two cots\nplease"}
	for _, test := range []struct {
		name string
		late bool // the hold expires while the guest types
	}{{"typed", true}, {"sent", false}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			d := newFakeBooking(e)
			g := browse(t, e, d).open(searched).send("/choices")
			if test.late {
				d.refuses["PATCH draft"] = "410 RESERVATION.HOLD_EXPIRED"
				d.expires = e.Now().Add(-time.Minute)
			}
			g.send("/guest", typed...)
			d.expires = e.Now().Add(-time.Minute)
			g.open(home+"/bookings/"+d.draft.String()).sees("This booking has ended", "Book the same rooms again")
			delete(g.jar, "typed") // a browser keeps it to the pages of the ended booking
			d.guest = nil
			g.sendForm("/choices", "Book the same rooms again").sees("Who is coming?", `value="Zarghuna <3"`, `value="z@example.com"`, "Two cots\nplease</textarea>").lacks("marked fields")
		})
	}
}

// TestChoose_sameRoomsAtChangedPrice books the rooms of an expired hold again while their price changes, once or twice. What the guest
// typed fills the form after the guest has accepted the price.
func TestChoose_sameRoomsAtChangedPrice(t *testing.T) {
	t.Parallel()
	const changed = "409 BFF.TENANT.PRICE_CHANGED"
	for name, refusals := range map[string][]string{"once": {changed}, "twice": {changed, changed}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			d := newFakeBooking(e)
			g := browse(t, e, d).open(searched).send("/choices")
			g.send("/guest", "firstName", "Zarghuna", "email", "z@example.com", "phone", "0700123456", "specialRequests", "Two cots")
			d.expires = e.Now().Add(-time.Minute)
			g.open(home+"/bookings/"+d.draft.String()).sees("This booking has ended", "Book the same rooms again")
			d.draft, d.guest = id.New[id.Draft](), nil // the new booking is another one
			button := "Book the same rooms again"
			for range refusals {
				d.refuses["POST hold"], d.once = changed, true
				g.sendForm("/choices", button).sees("The price has changed")
				button = "Book for"
			}
			g.sendForm("/choices", button).sees("Who is coming?", `value="Zarghuna"`, `value="z@example.com"`, `value="+93700123456"`, ">Two cots</textarea>").lacks("marked fields")
		})
	}
}

// TestReturn_otherBrowser has guests return from the payment page in another browser, before and after the payment is
// final. The other browser waits with the return link, and then shows the confirmation.
func TestReturn_otherBrowser(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"card", "mfs"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil)
			d := newFakeBooking(e)
			d.pending = true
			g := browse(t, e, d).open(searched).send("/choices").send("/guest", "firstName", "Zarghuna", "email", "z@example.com", "phone", "+93700123456").send("/payment", "method", method)
			if leaves := method == "card"; (g.external != "") != leaves {
				t.Fatalf("the guest is led to %q, want an external page: %v", g.external, leaves)
			}
			other := &browser{t: t, front: g.front, booking: d, jar: map[string]string{}, status: g.status}
			back := home + "/return/" + d.draft.String() + "?r=" + link
			other.open(back).sees("Your payment is under way", `href="`+back+`"`)
			if other.at != back || strings.Contains(other.page, "Pay in another way") {
				t.Errorf("at %s the other browser is offered an act that it cannot do: %s", other.at, other.page)
			}
			d.pending = false
			if other.open(back).sees("Your room is booked"); !strings.Contains(other.at, d.booked.String()+"?t="+d.booked.String()+".token") {
				t.Errorf("the other browser is at %s", other.at)
			}
		})
	}
}

// A page has no script: what it says of a hold must still be true a minute later.
func TestSummary_hold(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	g := browse(t, e, newFakeBooking(e)).open(searched).send("/choices")
	before := between(t, g.page, "<time datetime=", "</p>")
	e.Advance(time.Minute)
	if after := between(t, g.open(g.at).page, "<time datetime=", "</p>"); after != before {
		t.Errorf("the page shows %q, and a minute later %q", before, after)
	}
}
