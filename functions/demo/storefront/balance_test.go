package storefront_test

import (
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

// backFrom returns the address to which a provider sends the guest back.
func backFrom(d *fakeBooking, query string) string {
	return home + "/return/" + d.booked.String() + query
}

func TestBalance_card(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	d.due = 580000
	g := browse(t, env.Of(nil), d).stayed()
	g.sees("Paid (Card)", "Still to pay: AFN 5,800, at the latest at your departure on 23 March 2027.", "Pay AFN 5,800 now", `value="mfs"`).lacks(`value="cash_on_arrival"`)
	if g.send("/payment", "method", "card"); g.external != "https://melmastoon.example/checkout" {
		t.Errorf("sent to %q, want the bank", g.external)
	}
	g.open(backFrom(d, "?r=a.link")).sees("Your room is booked", "Pay AFN 5,800 now").lacks("has arrived") // back without paying
	d.cleared = true
	g.open(backFrom(d, "?r=a.link")).sees("Your payment has arrived.", "GM-7K2QX9").lacks("Still to pay", "/payment")
	if query := d.received[len(d.received)-4].URL.Query(); query.Get("r") != "a.link" {
		t.Errorf("the result is asked for with %v, want the link", query)
	}
	g.open(backFrom(d, "?r=a.link")).sees("Your payment has arrived.") // reloaded
}

func TestBalance_posted(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	d.due, d.cleared = 580000, true
	g := browse(t, env.Of(nil), d)
	a := g.front.Post(backFrom(d, "?r=a.link"), "result=paid", "Content-Type", urlencoded, "Origin", "https://bank.example", "Sec-Fetch-Site", "cross-site")
	g.follow(a, home).sees("Your payment has arrived.")
	g.front.Post(home+"/return/rsv_1", "", "Content-Type", urlencoded).Want(t, http.StatusNotFound)
}

// TestBalance_windows pays in a window that is out of date.
func TestBalance_windows(t *testing.T) {
	t.Parallel()
	d := newFakeBooking(env.Of(nil))
	d.due = 580000
	g := browse(t, env.Of(nil), d).stayed()
	d.due = 600000 // the dates were changed in another window
	g.send("/payment", "method", "card").sees("The price has changed. Please look at the new one.", "Pay AFN 6,000 now")
	d.cleared = true // paid in another window
	if g.send("/payment", "method", "card").sees("Your payment has arrived."); g.external != "" {
		t.Errorf("a paid booking leads to %s", g.external)
	}
}

func TestBalance_pending(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, status, secret string
		declines             int
		sees, lacks          []string
	}{
		{name: "phone", status: "requires_action", sees: []string{"Please approve the payment on your phone", later, "Back to the booking"}, lacks: []string{"declined"}},
		{name: "phone_declined", status: "requires_action", declines: 1, sees: []string{"The payment was declined", "on your phone"}},
		{name: "bank", status: "processing", declines: 1, sees: []string{"The bank has not answered yet", later}, lacks: []string{"declined"}},
		{name: "hotel_page", status: "requires_action", secret: "a-secret", sees: []string{"Please approve your payment", `value="a-secret"`}, lacks: []string{later}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.due, d.pending, d.status, d.secret, d.declines = 580000, true, test.status, test.secret, test.declines
			g := browse(t, env.Of(nil), d).stayed().send("/payment", "method", "mfs").sees(test.sees...).lacks(test.lacks...)
			d.pending, d.cleared = false, true
			again := backFrom(d, "?t=k.token")
			g.open(again).sees("Your payment has arrived.")
		})
	}
}

func TestBalance_refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, act, refusal string
		sees               []string
	}{
		{"declined", "return", "402 PAYMENT.DECLINED", []string{"The payment was declined", "Pay AFN 5,800 now"}},
		{"provider_down", "pay", "503 BFF.UPSTREAM_UNAVAILABLE", []string{"cannot be reached at the moment", "Pay AFN 5,800 now"}},
		{"result_unknown", "return", "503 BFF.UPSTREAM_UNAVAILABLE", []string{"cannot be reached at the moment", "Pay AFN 5,800 now"}},
		{"bank_is_working", "pay", "409 BFF.TENANT.ILLEGAL_STEP", []string{"This step is not possible now", "Pay AFN 5,800 now"}},
		{"ended", "pay", "409 RESERVATION.ILLEGAL_TRANSITION", []string{"This is not possible any more"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.due = 580000
			g := browse(t, env.Of(nil), d).stayed()
			d.refuses["POST payment"] = test.refusal
			if test.act == "return" {
				g.open(backFrom(d, "?t=k.token"))
			} else {
				g.send("/payment", "method", "card")
			}
			g.sees(test.sees...)
		})
	}
}

// TestBalance_atHotel shows amounts that are paid at the hotel only.
func TestBalance_atHotel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		set  func(*fakeBooking)
		sees string
	}{
		{"promise_of_cash", func(d *fakeBooking) { d.promised = true }, "In cash when you arrive"},
		{"cash_hotel", func(d *fakeBooking) { d.methods = []string{"cash_on_arrival"} }, "You pay it at the hotel."},
		{"suspended", func(d *fakeBooking) { d.refuses["GET bootstrap"] = "503 TENANT.SUSPENDED" }, "You pay it at the hotel."},
		{"cancelled", func(d *fakeBooking) { d.stay = "cancelled" }, "This reservation is no longer valid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.due = 580000
			test.set(d)
			browse(t, env.Of(nil), d).stayed().sees(test.sees).lacks(`/payment"`)
		})
	}
}

func TestBalance_languages(t *testing.T) {
	t.Parallel()
	for tag, sees := range map[locale.Tag]string{
		"ps-AF": "اوس ۵٬۸۰۰ افغانۍ تادیه کړئ", "fa-AF": "اکنون ۵٬۸۰۰ افغانی را بپردازید", "fa-IR": "اکنون ۵٬۸۰۰ افغانی را بپردازید", "ur-PK": "ادا کریں", "ar-AE": "الآن",
	} {
		t.Run(string(tag), func(t *testing.T) {
			t.Parallel()
			d := newFakeBooking(env.Of(nil))
			d.locale, d.offered, d.due = tag, []locale.Tag{tag}, 580000
			if page := browse(t, env.Of(nil), d).stayed().sees(sees).page; strings.Contains(page, "{0}") || strings.Contains(page, "{1}") {
				t.Errorf("a text has an unfilled argument: %s", page)
			}
		})
	}
}
