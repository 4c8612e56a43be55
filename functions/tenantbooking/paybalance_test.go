package tenantbooking_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/paybalance"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// owing books a stay by card and makes it a night longer, so that 10000 are due.
func owing(t *testing.T, s *tenantbookingtest.System) (g *tenantbookingtest.Guest, path, token string) {
	t.Helper()
	g, path, token = bookByCard(t, s)
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, ""))
	return g, path, token
}

// toPay returns the body that begins a payment of an amount in afghanis.
func toPay(method string, amount int) string {
	return fmt.Sprintf(`{"method":%q,"due":{"amountMinor":%d,"currency":"AFN","exponent":2}}`, method, amount)
}

// begun begins a payment and returns the response.
func begun(t *testing.T, g *tenantbookingtest.Guest, path, method string, amount int) (out paybalance.Response) {
	t.Helper()
	g.Must(http.StatusCreated, "POST", path+"/payment", toPay(method, amount)).Into(t, &out)
	return out
}

// returnLink returns the token of the return URL of a payment.
func returnLink(t *testing.T, g *tenantbookingtest.Guest, out paybalance.Response) string {
	t.Helper()
	back, err := url.Parse(g.Platform.Intent(out.Intent.ID).Return)
	if err != nil || !strings.HasSuffix(back.Path, "/return/"+g.Stay.String()) {
		t.Fatalf("the return URL is %q, %v", back, err)
	}
	return back.Query().Get("r")
}

// wantPaid fails the test unless the confirmation has that amount as paid.
func wantPaid(t *testing.T, c booking.Confirmation, amount int64) {
	t.Helper()
	if c.Paid == nil || c.Paid.Amount != amount {
		t.Errorf("the confirmation has %v as paid, want %d", c.Paid, amount)
	}
}

func TestPayBalance(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := owing(t, s)
	g.Must(http.StatusOK, "GET", path, nil) // caches it
	out := begun(t, g, path, "card", 10000)
	if out.Due == nil || out.Due.Amount != 10000 {
		t.Errorf("%v is due, want 10000", out.Due)
	}
	check.NotEqual(t, out.Intent.RedirectURL, "", "the payment has no page")
	if again := begun(t, g, path, "card", 10000); again.Intent.ID != out.Intent.ID { // in another window
		t.Errorf("the second payment is %s, want %s", again.Intent.ID, out.Intent.ID)
	}
	link := returnLink(t, g, out)
	var before, after, late paybalance.Response
	g.Must(http.StatusOK, "POST", path+"/payment", `{}`).Into(t, &before)
	check.NotEqual(t, before.Due, nil, "a guest who comes back without paying owes nothing")
	g.Platform.Pay(out.Intent.ID, false) // the event of the capture is late
	a := g.Front.As("").Send("POST", g.Path(path+"/payment?r="+link), `{}`, "Idempotency-Key", "another-browser")
	a.Want(t, http.StatusOK)
	if a.Into(t, &after); after.Due != nil || after.ViewToken == "" {
		t.Errorf("after the payment %v is due, with the view token %q, want nothing and a token", after.Due, after.ViewToken)
	}
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.Due, nil, "due by the confirmation")
	wantPaid(t, seen, 30000)
	if g.Must(http.StatusOK, "POST", path+"/payment", toPay("card", 10000)).Into(t, &late); late.Intent != nil || late.Due != nil {
		t.Errorf("a window that is out of date begins %+v for %v, want no payment", late.Intent, late.Due)
	}
	check.Equal(t, g.Platform.Intents(), 2, "payments")
}

func TestPayBalance_refused(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := owing(t, s)
	link := returnLink(t, g, begun(t, g, path, "card", 10000))
	stranger, elsewhere := s.Guest(0), s.Guest(1)
	cash := s.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	cash.Must(http.StatusOK, "POST", "/draft/"+cash.Draft.String()+"/confirm", nil)
	for _, test := range []struct {
		name        string
		by          *tenantbookingtest.Guest
		path, query string
		body        string
		down        string
		state       string // of the reservation
		status      int
		code        string
	}{
		{name: "stranger", by: stranger, body: toPay("card", 10000), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "stranger_asks", by: stranger, body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "wrong_token", by: stranger, query: "?t=" + token + "x", body: toPay("card", 10000), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "other_hotel", by: elsewhere, query: "?t=" + token, body: toPay("card", 10000), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "link_begins_no_payment", by: stranger, query: "?r=" + link, body: toPay("card", 10000), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "link_of_other_hotel", by: elsewhere, query: "?r=" + link, body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "forged_link", by: stranger, query: "?r=9" + link, body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "link_of_other_booking", by: stranger, path: "/confirmation/" + cash.Stay.String(), query: "?r=" + link, body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "more_is_due", by: g, body: toPay("card", 9999), status: 409, code: "BFF.TENANT.PRICE_CHANGED"},
		{name: "less_is_due", by: g, body: toPay("card", 10001), status: 409, code: "BFF.TENANT.PRICE_CHANGED"},
		{name: "other_currency", by: g, body: strings.Replace(toPay("card", 10000), "AFN", "USD", 1), status: 409, code: "BFF.TENANT.PRICE_CHANGED"},
		{name: "not_of_this_hotel", by: g, body: toPay("paypal", 10000), status: 409, code: "TENANT.PAYMENT_NOT_CONFIGURED"},
		{name: "promise_of_cash", by: cash, path: "/confirmation/" + cash.Stay.String(), body: toPay("card", 20000), status: 409, code: "BFF.TENANT.ILLEGAL_STEP"},
		{name: "cancelled", by: g, body: toPay("card", 10000), state: "cancelled", status: 409, code: "RESERVATION.ILLEGAL_TRANSITION"},
		{name: "no_show", by: g, body: toPay("card", 10000), state: "no_show", status: 409, code: "RESERVATION.ILLEGAL_TRANSITION"},
		{name: "payment_service_down", by: g, body: toPay("card", 10000), down: "payment", status: 503, code: "BFF.UPSTREAM_UNAVAILABLE"},
		{name: "reservation_service_down", by: g, body: `{}`, down: "reservation", status: 503, code: "BFF.UPSTREAM_UNAVAILABLE"},
		{name: "cash", by: g, body: toPay("cash_on_arrival", 10000), status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "nothing", by: g, body: toPay("card", 0), status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "no_amount", by: g, body: `{"method":"card"}`, status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "no_method", by: g, body: `{"due":{"amountMinor":10000,"currency":"AFN","exponent":2}}`, status: 400, code: "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			booked, before := g.Platform.Stays()[0], g.Platform.Intents()
			set := func(down, state string) {
				g.Platform.Change(func() { g.Platform.Down, booked.State = down, state })
				s.DB.Advance(time.Minute) // circuit breakers
			}
			state := "confirmed"
			if test.state != "" {
				state = test.state
			}
			set(test.down, state)
			defer set("", "confirmed")
			to := path
			if test.path != "" {
				to = test.path
			}
			test.by.Send("POST", to+"/payment"+test.query, test.body).WantProblem(t, test.status, test.code)
			check.Equal(t, g.Platform.Intents(), before, "payments")
		})
	}
	s.DB.Advance(2 * time.Hour)
	stranger.Send("POST", path+"/payment?r="+link, `{}`).WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND") // expired
}

// TestPayBalance_pending follows payments that the guest approves without a page, and that the bank declines or answers late.
func TestPayBalance_pending(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := owing(t, s)
	card := begun(t, g, path, "card", 10000).Intent.ID
	ask := func(status int) (out paybalance.Response) {
		t.Helper()
		a := g.Must(status, "POST", path+"/payment", `{}`)
		a.Into(t, &out)
		check.Equal(t, a.Header.Get("Retry-After") != "", status == http.StatusAccepted, "Retry-After with status %d", status)
		return out
	}
	g.Platform.Decline(card, false)
	g.Send("POST", path+"/payment", `{}`).WantProblem(t, http.StatusPaymentRequired, "PAYMENT.DECLINED")
	g.Platform.Await(card, "requires_action", "secret")
	if out := ask(http.StatusAccepted); out.Secret != "secret" || out.Declines != 1 {
		t.Errorf("the pending payment has the secret %q and %d declines", out.Secret, out.Declines)
	}
	g.Platform.Await(card, "processing", "")
	if out := ask(http.StatusAccepted); out.Status != "processing" || out.Secret != "" {
		t.Errorf("the pending payment is %s with secret %q", out.Status, out.Secret)
	}
	g.Platform.Change(func() { g.Platform.Tenants[0].PaymentMethods = append(g.Platform.Tenants[0].PaymentMethods, "mfs") })
	s.DB.Advance(10 * time.Minute) // the cached tenant
	g.Send("POST", path+"/payment", toPay("mfs", 10000)).WantProblem(t, http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP")
	g.Platform.Await(card, "failed", "")
	g.Send("POST", path+"/payment", `{}`).WantProblem(t, http.StatusPaymentRequired, "PAYMENT.DECLINED")
	phone := begun(t, g, path, "mfs", 10000).Intent.ID
	check.NotEqual(t, phone, card, "the failed payment begins again")
	g.Platform.Pay(phone, true)
	check.Equal(t, ask(http.StatusOK).Due, nil, "amount due after the payment")
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.Payment, nil, "payment of a booking paid by two methods")
	wantPaid(t, seen, 30000)
}

// TestPayBalance_declinedElsewhere learns of a decline with the return link in a browser without the session, and pays again there with the
// view token of the answer.
func TestPayBalance_declinedElsewhere(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := owing(t, s)
	first := begun(t, g, path, "card", 10000)
	link := returnLink(t, g, first)
	there := s.Guest(0) // another session at the same hotel
	g.Platform.Decline(first.Intent.ID, false)
	var token string
	for range 2 { // the link is used twice
		a := there.Send("POST", path+"/payment?r="+link, `{}`)
		a.WantProblem(t, http.StatusPaymentRequired, "PAYMENT.DECLINED")
		token, _ = a.Problem().Members["viewToken"].(string)
		check.MustNotEqual(t, token, "", "the answer %s has no view token", a.Body)
	}
	there.Must(http.StatusOK, "GET", path+"?t="+token, nil)
	again := fntest.Read[paybalance.Response](t, there.Must(http.StatusCreated, "POST", path+"/payment?t="+token, toPay("card", 10000)))
	g.Platform.Pay(again.Intent.ID, false)
	after := fntest.Read[paybalance.Response](t, there.Must(http.StatusOK, "POST", path+"/payment?r="+link, `{}`))
	check.Equal(t, after.Due, nil, "amount due after the payment")
	for _, refused := range []string{"", "?r=" + link + "x", "?r=." + link} {
		t.Run(refused, func(t *testing.T) {
			a := there.Send("POST", path+"/payment"+refused, `{}`)
			a.WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
			check.Equal(t, a.Problem().Members, nil, "members of the problem")
		})
	}
}

// TestPayBalance_changedMeanwhile pays 10000 for a booking that has changed since the payment began. What is not due is refunded, and what
// is missing stays due.
func TestPayBalance_changedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		change        func(t *testing.T, g *tenantbookingtest.Guest, path string)
		due, refunded int64
	}{
		{name: "cheaper", change: func(t *testing.T, g *tenantbookingtest.Guest, path string) {
			t.Helper()
			g.Must(http.StatusOK, "PATCH", path, dates(g, 2, ""))
		}, refunded: 10000},
		{name: "dearer", change: func(t *testing.T, g *tenantbookingtest.Guest, path string) {
			t.Helper()
			g.Must(http.StatusOK, "PATCH", path, dates(g, 5, ""))
		}, due: 20000},
		{name: "cancelled", change: func(t *testing.T, g *tenantbookingtest.Guest, path string) {
			t.Helper()
			g.Must(http.StatusOK, "POST", path+"/cancel", `{}`)
		}, refunded: 10000},
		{name: "paid_by_another_intent", change: func(t *testing.T, g *tenantbookingtest.Guest, path string) {
			t.Helper()
			first := g.Platform.Stays()[0].ID
			g.Platform.Change(func() { g.Platform.Tenants[0].PaymentMethods = append(g.Platform.Tenants[0].PaymentMethods, "mfs") })
			g.DB.Advance(10 * time.Minute)
			g.Platform.Pay(begun(t, g, path, "mfs", 10000).Intent.ID, true)
			check.Equal(t, g.Stay, first, "the stay")
		}, refunded: 10000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := tenantbookingtest.Build(t, funnel()...)
			g, path, _ := owing(t, s)
			paid := begun(t, g, path, "card", 10000).Intent.ID
			test.change(t, g, path)
			g.Platform.Pay(paid, false)
			var out paybalance.Response
			for range 2 { // the second time nothing is left to settle
				g.Must(http.StatusOK, "POST", path+"/payment", `{}`).Into(t, &out)
			}
			var due int64
			if out.Due != nil {
				due = out.Due.Amount
			}
			check.Equal(t, due, test.due, "amount due")
			check.Equal(t, int64(g.Platform.Intent(paid).Refunded)/10000, test.refunded, "amount refunded")
		})
	}
}

// TestPayBalance_suspended settles a payment that began before the hotel was suspended. No other payment begins.
func TestPayBalance_suspended(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := owing(t, s)
	paid := begun(t, g, path, "card", 10000).Intent.ID
	g.Platform.Change(func() { g.Platform.Tenants[0].Status = "suspended" })
	s.DB.Advance(10 * time.Minute) // the cached tenant
	g.Send("POST", path+"/payment", toPay("card", 10000)).WantProblem(t, http.StatusServiceUnavailable, "TENANT.SUSPENDED")
	g.Platform.Pay(paid, false)
	out := fntest.Read[paybalance.Response](t, g.Must(http.StatusOK, "POST", path+"/payment", `{}`))
	check.Equal(t, out.Due, nil, "amount due after the payment")
}

// TestPayBalance_concurrent begins and settles in several windows at once. There is one payment, and it counts once.
func TestPayBalance_concurrent(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := owing(t, s)
	all := func(body string, status int) {
		t.Helper()
		var windows sync.WaitGroup
		answers := make([]fntest.Answer, 8)
		for i := range answers {
			windows.Go(func() {
				answers[i] = g.Front.As("").Send("POST", g.Path(path+"/payment"), body, "Cookie", g.Cookie, "Idempotency-Key", tenantbookingtest.Key())
			})
		}
		windows.Wait()
		for _, a := range answers {
			a.Want(t, status)
		}
	}
	all(toPay("card", 10000), http.StatusCreated)
	check.Equal(t, g.Platform.Intents(), 2, "payments")
	g.Platform.Pay(begun(t, g, path, "card", 10000).Intent.ID, false)
	all(`{}`, http.StatusOK)
	all(toPay("card", 10000), http.StatusOK)
	check.Equal(t, len(g.Platform.Stays()[0].More), 1, "payments of the stay")
}

// TestPayBalance_withoutStore records a payment while the document store is down. The confirmation needs no invalidation.
func TestPayBalance_withoutStore(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := owing(t, s)
	paid := begun(t, g, path, "card", 10000).Intent.ID
	g.Must(http.StatusOK, "GET", path, nil)
	g.Platform.Pay(paid, false)
	site := g.Front
	down := &documenttest.Memory{Refuse: func(string) error { return fault.ErrUnavailable }}
	g.Front = fntest.Behind(t, document.StoreKey.With(s.Env, down), s.Front.Issuer(), paybalance.Function)
	g.Must(http.StatusOK, "POST", path+"/payment", `{}`)
	g.Front = site
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.Due, nil, "due by the confirmation")
}
