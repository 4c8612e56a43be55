package storefront_test

import (
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
)

const (
	wasDeclined = "The payment was declined"
	notArrived  = "No payment has arrived yet"
	notKnown    = "The result of your payment is not known yet"
	notValid    = "This link is not valid"
	hasEnded    = "This booking has ended"
)

// TestReturn_elsewhere returns with the link of the payment page in a browser without the session that booked.
func TestReturn_elsewhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusals, status string // of the result of the payment, and then of the pending payment
		answer                 int
		sees, lacks            []string
	}{
		{name: "declined", refusals: "402 PAYMENT.DECLINED", status: "requires_payment", sees: []string{wasDeclined, notArrived, "the browser in which you booked"}, lacks: []string{later}},
		{name: "declined_then_processing", refusals: "402 PAYMENT.DECLINED", status: "processing", sees: []string{"Your payment is under way", later}, lacks: []string{wasDeclined}},
		{name: "declined_twice", refusals: "402 PAYMENT.DECLINED | 402 PAYMENT.DECLINED", sees: []string{wasDeclined, "Look again"}},
		{name: "declined_and_ended", refusals: "402 PAYMENT.DECLINED | 409 BFF.TENANT.DRAFT_CLOSED", sees: []string{wasDeclined, hasEnded}, lacks: []string{"Look again"}},
		{name: "not_paid", status: "requires_payment", sees: []string{notArrived}, lacks: []string{wasDeclined, later}},
		{name: "phone", status: "requires_action", sees: []string{notArrived, "approve the payment on your phone"}},
		{name: "bank", status: "processing", sees: []string{"The bank has not answered yet", later}, lacks: []string{notArrived}},
		{name: "ended", refusals: "409 BFF.TENANT.DRAFT_CLOSED", sees: []string{hasEnded, "If you have paid, the money goes back to you."}},
		{name: "sold", refusals: "409 RESERVATION.OVERBOOKING_BLOCKED", sees: []string{hasEnded, "the money goes back to you."}},
		{name: "rooms_not_kept", refusals: "410 RESERVATION.HOLD_EXPIRED", sees: []string{hasEnded, "the money goes back to you."}},
		{name: "expired_or_garbled", refusals: "404 GENERAL.RESOURCE_NOT_FOUND", answer: http.StatusNotFound, sees: []string{notValid, "If you have paid, your payment counts without the link."}},
		{name: "away", refusals: "503 BFF.UPSTREAM_UNAVAILABLE", sees: []string{"cannot be reached", notKnown, "Look again"}, lacks: []string{"The bank has not answered"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.elsewhere, d.state, d.pending, d.status, d.once = true, "paying", true, test.status, true
			if test.refusals != "" {
				d.refuses["POST return"] = test.refusals
			}
			g := browse(t, env.Of(nil), d)
			back := home + "/return/" + d.draft.String() + "?r=" + link
			if test.answer != 0 {
				g.status = test.answer
			}
			g.open(back).sees(test.sees...).lacks(test.lacks...).lacks("How would you like to pay?", "no such booking on this device")
			if !strings.HasPrefix(g.at, home+"/return/") {
				t.Errorf("at %s the page can not be loaded again", g.at)
			}
			g.status, d.pending = http.StatusOK, false // paid in the browser that booked
			delete(d.refuses, "POST return")
			g.open(g.at).sees("Your room is booked").lacks(wasDeclined)
			g.open(back).sees("Your room is booked")
		})
	}
}

// TestReturn_sameBrowser returns with the link in the browser that booked.
func TestReturn_sameBrowser(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusals string
		sees           []string
	}{
		{"declined", "402 PAYMENT.DECLINED", []string{wasDeclined, "How would you like to pay?"}},
		{"away", "503 BFF.UPSTREAM_UNAVAILABLE | 503 BFF.UPSTREAM_UNAVAILABLE", []string{"cannot be reached", notKnown, other}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.state, d.refuses["POST return"] = "paying", test.refusals
			browse(t, env.Of(nil), d).open(home + "/return/" + d.draft.String() + "?r=" + link).sees(test.sees...)
		})
	}
}

// TestBalance_elsewhere returns from a payment of what is due in a browser without the session that booked.
func TestBalance_elsewhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, refusal string
		answer        int
		sees          []string
	}{
		{"declined", "402 PAYMENT.DECLINED viewToken=k.token", http.StatusOK, []string{wasDeclined, "Pay AFN 5,800 now", "Cancel this booking"}},
		{"expired_or_garbled", "404 GENERAL.RESOURCE_NOT_FOUND", http.StatusNotFound, []string{notValid, "your payment counts without the link"}},
		{"away", "503 BFF.UPSTREAM_UNAVAILABLE", http.StatusOK, []string{"cannot be reached", notKnown, "/return/rsv_"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.elsewhere, d.due, d.refuses["POST payment"] = true, 580000, test.refusal
			g := browse(t, env.Of(nil), d)
			g.status = test.answer
			for range 2 { // the link is used twice
				g.open(backFrom(d, "?r=a.link")).sees(test.sees...).lacks("no such booking on this device")
			}
			shown := g.at
			delete(d.refuses, "POST payment")
			g.status = http.StatusOK
			if test.name == "declined" {
				if g.send("/payment", "method", "card"); g.external != "https://melmastoon.example/checkout" {
					t.Errorf("paid again at %q, want the bank", g.external)
				}
			}
			d.cleared = true
			g.open(backFrom(d, "?r=a.link")).sees("Your payment has arrived.")
			paid := g.at
			g.open(shown).sees("GM-7K2QX9").lacks(wasDeclined, "Still to pay")
			d.due, d.cleared = 300000, false // a later change of dates
			g.open(paid).sees("Still to pay").lacks("Your payment has arrived.")
		})
	}
}
