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
	reload = `<meta http-equiv="refresh"`
	other  = "Pay in another way"
)

// TestWaiting_byPhone pays by mobile money. The waiting page reloads itself until the guest has approved, and then shows the confirmation.
func TestWaiting_byPhone(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.pending, d.status = true, "requires_action"
	g := browse(t, e, d).detailed().sees("You approve the payment on your phone.").send("/payment", "method", "mfs")
	next := home + "/bookings/" + d.draft.String() + "?step=waiting&tries=1"
	g.sees("Please approve the payment on your phone", `<meta http-equiv="refresh" content="5; url=`+next+`">`, other,
		"https://melmastoon.example/sandbox/payment/v1/checkout/"+d.intent.String())
	if count := strings.Count(strings.Join(d.asked, " "), "POST confirm"); count != 0 {
		t.Errorf("got %d calls to confirm without cash, want 0", count)
	}
	d.pending = false
	g.open(next).sees("Your room is booked")
}

// TestWaiting_reloadsBounded follows the reloads of the waiting page. Their intervals grow, and they end.
func TestWaiting_reloadsBounded(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.state, d.pending, d.status = "paying", true, "processing"
	g := browse(t, e, d)
	page := home + "/bookings/" + d.draft.String() + "?step=waiting"
	for tries, seconds := range map[string]string{"": "5", "&tries=11": "5", "&tries=12": "15", "&tries=24": "30", "&tries=35": "30", "&tries=-1": "5"} {
		g.open(page + tries).sees(reload + ` content="` + seconds + "; url=")
	}
	for _, tries := range []string{"36", "9999999"} {
		g.open(page + "&tries=" + tries).lacks(reload).sees("Look again")
	}
	g.open(home+"/return/"+d.draft.String()+"?r="+link).sees(reload+` content="5; url=`, "r="+link+"&tries=1")
	g.open(home + "/return/" + d.draft.String() + "?r=" + link + "&tries=36").lacks(reload)
}

// TestWaiting_processing opens the booking while the bank is processing the payment. No other method can be chosen.
func TestWaiting_processing(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.state, d.pending, d.status = "paying", true, "processing"
	browse(t, e, d).open(home+"/bookings/"+d.draft.String()).sees("Your payment is under way").lacks(other, "How would you like to pay?")
}

// TestWaiting_challenge pays by a card that needs 3-D Secure. The page has the form for the provider and does not reload itself.
func TestWaiting_challenge(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeBooking(e)
	d.pending, d.status, d.secret = true, "requires_action", "pyi_1_secret_2"
	g := browse(t, e, d).detailed().send("/payment", "method", "card")
	g.sees("Please approve your payment", `action="https://melmastoon.example/sandbox/payment/v1/authentications"`,
		`name="clientSecret" value="pyi_1_secret_2"`, `name="action" value="pay"`, `name="action" value="decline"`, other).lacks(reload)
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
