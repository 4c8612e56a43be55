package storefront_test

import (
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// lacks reports each text that the page shows.
func (g *browser) lacks(parts ...string) *browser {
	g.t.Helper()
	for _, part := range parts {
		if strings.Contains(g.page, part) {
			g.t.Errorf("%s shows %q, want it without", g.at, part)
		}
	}
	return g
}

const (
	other = "Pay in another way"
	later = "Your booking continues without this page; you can look again in a few seconds."
)

// TestWaiting_byPhone pays by mobile money. The guest looks again until the payment is approved, and then sees the confirmation.
func TestWaiting_byPhone(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.pending, d.status = true, "requires_action"
	g := browse(t, e, d).detailed().sees("You approve the payment on your phone.").send("/payment", "method", "mfs")
	again := home + "/return/" + d.draft.String()
	g.sees("Please approve the payment on your phone by ", "(local time at the hotel). The rooms are kept for you until then.", later, `href="`+again+`"`, other,
		"https://melmastoon.example/sandbox/payment/v1/checkout/"+d.intent.String())
	if count := strings.Count(strings.Join(d.asked, " "), "POST confirm"); count != 0 {
		t.Errorf("got %d calls to confirm without cash, want 0", count)
	}
	g.open(again).sees("Please approve the payment on your phone") // too early
	d.pending = false
	g.open(again).sees("Your room is booked")
	g.open(again).sees("Your room is booked")
}

// TestWaiting_firstControl opens the waiting page. "Look again" is the first control of the page's content and has the focus.
func TestWaiting_firstControl(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.state, d.pending, d.status = "paying", true, "processing"
	g := browse(t, e, d)
	for _, page := range []string{"/bookings/" + d.draft.String() + "?step=waiting", "/bookings/" + d.draft.String() + "?step=waiting&tries=3", "/return/" + d.draft.String() + "?r=" + link} {
		t.Run(page, func(t *testing.T) {
			g.open(home+page).sees("Your payment is under way", later)
			_, content, _ := strings.Cut(g.page, "<main")
			first := textBetween(content, "<a ", "</a>")
			if !strings.HasSuffix(first, " autofocus>Look again") {
				t.Errorf("the first control is %q, want Look again with the focus", first)
			}
			if forms.MatchString(content) {
				t.Errorf("the page has a form: %s", content)
			}
		})
	}
}

// TestWaiting_processing opens the booking while the bank is processing the payment. No other method can be chosen.
func TestWaiting_processing(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.state, d.pending, d.status = "paying", true, "processing"
	browse(t, e, d).open(home+"/bookings/"+d.draft.String()).sees("Your payment is under way").lacks(other, "How would you like to pay?")
}

// TestWaiting_challenge pays by a card that needs 3-D Secure. The page has the form for the provider.
func TestWaiting_challenge(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.pending, d.status, d.secret = true, "requires_action", "pyi_1_secret_2"
	g := browse(t, e, d).detailed().send("/payment", "method", "card")
	g.lacks(later).sees("Please approve your payment", `action="https://melmastoon.example/sandbox/payment/v1/authentications"`,
		`name="clientSecret" value="pyi_1_secret_2"`, `name="action" value="pay"`, `name="action" value="decline"`, other)
	if want := "form-action 'self' https://melmastoon.example"; !strings.Contains(g.policy, want) {
		t.Errorf("policy %q, want %q in it", g.policy, want)
	}
	if strings.Contains(g.at, "secret") {
		t.Errorf("the address %s contains the client secret", g.at)
	}
	d.refuses["POST return"] = "402 PAYMENT.DECLINED"
	g.open(home+"/return/"+d.draft.String()).sees("How would you like to pay?", "The payment was declined")
	delete(d.refuses, "POST return")
	d.pending = false
	g.open(home + "/return/" + d.draft.String()).sees("Your room is booked")
}

// TestReturn_posted returns with a form from another site. The response redirects to the GET page. The form is not read, and the booking
// service is not called.
func TestReturn_posted(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	g := browse(t, e, d)
	page := home + "/return/" + d.draft.String()
	for _, test := range []struct{ to, form, media, want string }{
		{page + "?r=" + link, "status=paid", urlencoded, page + "?r=" + link},
		{page + "?r=" + link + "&PayerID=7", "r=forged&r=again", urlencoded, page + "?r=" + link},
		{page, "", "", page},
		{page, "--x--", "multipart/form-data; boundary=x", page},
		{page, "%%%", urlencoded, page},
	} {
		a := g.front.Post(test.to, test.form, "Content-Type", test.media, "Sec-Fetch-Site", "cross-site", "Origin", "https://bank.example")
		a.Want(t, http.StatusSeeOther, "Location", test.want)
	}
	g.front.Post(home+"/return/"+id.New[id.Intent]().String(), "", "Sec-Fetch-Site", "cross-site").WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
	if len(d.asked) > 0 {
		t.Errorf("the booking service was called: %q", d.asked)
	}
}
