package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	guestchange "melmastoon.ghasi.io/functions/tenantbooking/change"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// dates returns the body of a change to that many nights from the guest's arrival.
func dates(g *tenantbookingtest.Guest, nights int, more string) string {
	day := g.Env.Now()
	return fmt.Sprintf(`{"stayWindow":{"checkIn":%q,"checkOut":%q}%s}`, day.Format("2006-01-02"), day.AddDate(0, 0, nights).Format("2006-01-02"), more)
}

// total returns a member with a price in afghanis.
func total(amount int) string {
	return fmt.Sprintf(`,"total":{"amountMinor":%d,"currency":"AFN","exponent":2}`, amount)
}

func TestChange_dates(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	g.Must(http.StatusOK, "GET", path, nil) // caches it
	var dry, out, seen, again guestchange.Response
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, `,"dryRun":true`)).Into(t, &dry)
	check.Equal(t, dry.Total.Amount, 30000)
	check.Equal(t, dry.DryRun, true)
	if dry.Difference == nil || dry.Difference.Amount != 10000 {
		t.Errorf("the dry run answers a difference of %v, want 10000", dry.Difference)
	}
	g.Must(http.StatusOK, "GET", path, nil).Into(t, &seen)
	check.Equal(t, seen.Stay.Nights, 2, "nights of the stay after the dry run")
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, total(30000)), "Idempotency-Key", "once").Into(t, &out)
	if out.Due == nil || out.Due.Amount != 10000 {
		t.Errorf("due = %v, want 10000", out.Due)
	}
	g.Must(http.StatusOK, "GET", path, nil).Into(t, &seen)
	check.Equal(t, seen.Stay.Nights, 3)
	check.Equal(t, seen.Total, out.Total)
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, total(30000)), "Idempotency-Key", "once").Want(t, http.StatusOK, "Idempotent-Replayed", "true")
	a := g.Front.As("").Send("PATCH", g.Path(path+"?t="+token), dates(g, 3, total(1)), "Idempotency-Key", "another-device")
	a.Want(t, http.StatusOK)
	if a.Into(t, &again); again.Stay.Nights != 3 || again.Difference != nil {
		t.Errorf("the same dates again answer %d nights and a difference of %v, want 3 and none", again.Stay.Nights, again.Difference)
	}
	g.Must(http.StatusOK, "PATCH", path, dates(g, 1, "")).Into(t, &out)
	if out.Refund == nil || out.Refund.Amount != 20000 {
		t.Errorf("a shorter stay refunds %v, want 20000", out.Refund)
	}
}

// TestChange_waitsForPayment changes a paid booking to dates that cost more: they take effect when the guest has paid.
func TestChange_waitsForPayment(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	s.Platform.Change(func() { s.Platform.Prepaid = true })
	var out guestchange.Response
	var seen booking.Confirmation
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, total(30000))).Into(t, &out)
	g.Must(http.StatusOK, "GET", path, nil).Into(t, &seen)
	for name, c := range map[string]booking.Confirmation{"answer": out.Confirmation, "confirmation": seen} {
		t.Run(name, func(t *testing.T) {
			check.Equal(t, c.Stay.Nights, 2)
			check.Equal(t, c.Total.Amount, 20000)
			if c.Pending == nil || c.Pending.PayUntil.IsZero() {
				t.Fatalf("pending change = %+v, want one with a deadline", c.Pending)
			}
			if p := c.Pending; p.Stay.Nights != 3 || p.Total.Amount != 30000 {
				t.Errorf("pending change = %+v, want 3 nights for 30000", p)
			}
			if c.Due == nil || c.Due.Amount != 10000 {
				t.Errorf("due = %v, want 10000", c.Due)
			}
		})
	}
	paid := begun(t, g, path, "card", 10000)
	g.Platform.Pay(paid.Intent.ID, false)
	g.Must(http.StatusOK, "POST", path+"/payment", `{}`)
	var after booking.Confirmation
	if g.Must(http.StatusOK, "GET", path, nil).Into(t, &after); after.Stay.Nights != 3 || after.Pending != nil {
		t.Errorf("after the payment: %d nights, pending %v", after.Stay.Nights, after.Pending)
	}
	check.Equal(t, after.Due, nil, "after the payment is due")
	wantPaid(t, after, 30000)
}

func TestChange_refused(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	stranger, elsewhere, held := s.Guest(0), s.Guest(1), s.Guest(0).RequestQuote().Hold()
	for _, test := range []struct {
		name    string
		by      *tenantbookingtest.Guest
		path    string
		body    string
		soldOut bool
		state   string // of the reservation
		rejects string
		status  int
		code    string
	}{
		{name: "stranger", by: stranger, body: dates(g, 3, ""), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "wrong_token", by: stranger, path: path + "?t=" + token + "x", body: dates(g, 3, ""), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "other_hotel", by: elsewhere, path: path + "?t=" + token, body: dates(g, 3, ""), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "held_only", by: held, path: "/confirmation/" + held.Stay.String(), body: dates(g, 3, ""), status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "price_rose", by: g, body: dates(g, 3, total(29999)), status: 409, code: "BFF.TENANT.PRICE_CHANGED"},
		{name: "other_currency", by: g, body: strings.Replace(dates(g, 3, total(30000)), "AFN", "USD", 1), status: 409, code: "BFF.TENANT.PRICE_CHANGED"},
		{name: "sold_out", by: g, body: dates(g, 3, ""), soldOut: true, status: 409, code: "RESERVATION.OVERBOOKING_BLOCKED"},
		{name: "not_free", by: g, body: dates(g, 3, ""), rejects: "RESERVATION.CHANGE_NOT_ALLOWED", status: 409, code: "RESERVATION.CHANGE_NOT_ALLOWED"},
		{name: "in_house", by: g, body: dates(g, 3, ""), state: "checked_in", status: 409, code: "RESERVATION.ILLEGAL_TRANSITION"},
		{name: "cancelled", by: g, body: dates(g, 3, ""), state: "cancelled", status: 409, code: "RESERVATION.ILLEGAL_TRANSITION"},
		{name: "no_nights", by: g, body: dates(g, 0, ""), status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "too_long", by: g, body: dates(g, 31, ""), status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "too_long_dry_run", by: g, body: dates(g, 31, `,"dryRun":true`), status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "nothing", by: g, body: `{}`, status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "two_changes", by: g, body: dates(g, 3, `,"specialRequest":{"tags":["cot"]}`), status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "dry_run_of_request", by: g, body: `{"dryRun":true,"specialRequest":{"tags":["cot"]}}`, status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "no_tags", by: g, body: `{"specialRequest":{"tags":[]}}`, status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "no_name", by: g, body: strings.Replace(strings.Replace(tenantbookingtest.Zarghona, "Zarghona", "", 1), "Ahmadzai", "", 1), status: 400, code: "GENERAL.VALIDATION_FAILED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			booked := g.Platform.Stays()[0]
			set := func(soldOut bool, state string, rejects func(*http.Request) (int, string)) {
				g.Platform.Change(func() { g.Platform.SoldOut, booked.State, g.Platform.Rejects = soldOut, state, rejects })
			}
			state := "confirmed"
			if test.state != "" {
				state = test.state
			}
			var rejects func(*http.Request) (int, string)
			if test.rejects != "" {
				rejects = func(r *http.Request) (int, string) {
					if strings.HasSuffix(r.URL.Path, "/dates") {
						return 409, test.rejects
					}
					return 0, ""
				}
			}
			set(test.soldOut, state, rejects)
			defer set(false, "confirmed", nil)
			to := path
			if test.path != "" {
				to = test.path
			}
			test.by.Send("PATCH", to, test.body).WantProblem(t, test.status, test.code)
			if got := booked.Quote.Stay.Nights(); got != 2 || booked.Requests != nil {
				t.Errorf("the stay has %d nights and the requests %v, want 2 and none", got, booked.Requests)
			}
		})
	}
}

// TestChange_limits changes a stay that a desk has made longer than the hotel's site books: it may become shorter, but not longer.
func TestChange_limits(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	g.Must(http.StatusOK, "PATCH", path, dates(g, 30, "")) // the limit
	booked := g.Platform.Stays()[0]
	g.Platform.Change(func() { booked.Quote.Stay.End = booked.Quote.Stay.Start.AddDays(40) })
	g.Send("PATCH", path, dates(g, 41, "")).WantProblem(t, http.StatusBadRequest, "GENERAL.VALIDATION_FAILED")
	g.Must(http.StatusOK, "PATCH", path, dates(g, 39, ""))
}

func TestChange_guest(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	a := g.Front.As("").Send("PATCH", g.Path(path+"?t="+token), strings.Replace(tenantbookingtest.Zarghona, "Zarghona", "Malalai", 1), "Idempotency-Key", "new-name")
	a.Want(t, http.StatusOK)
	booked := g.Platform.Stays()[0]
	check.Equal(t, booked.Guest.FirstName, "Malalai")
	check.Equal(t, booked.Guest.Phone, "+93700123456")
	check.Lacks(t, string(a.Body), "Malalai")
	g.Must(http.StatusOK, "PATCH", path, `{"specialRequest":{"tags":["cot"],"freeText":" Two cots "}}`, "Idempotency-Key", "cots")
	g.Must(http.StatusOK, "PATCH", path, `{"specialRequest":{"tags":["cot"],"freeText":" Two cots "}}`, "Idempotency-Key", "cots")
	check.Equal(t, booked.Requests, []string{"Two cots"}, "the special requests")
}

// TestChange_concurrent changes dates and cancels at the same time. Each guest sees the booking as it is at the end.
func TestChange_concurrent(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	send := func(method, path, body string) fntest.Answer {
		return g.Front.As("").Send(method, g.Path(path), body, "Cookie", g.Cookie, "Idempotency-Key", tenantbookingtest.Key())
	}
	var all sync.WaitGroup
	answers := make([]fntest.Answer, 6)
	for i := range answers {
		all.Go(func() { answers[i] = send("PATCH", path, dates(g, 3+i%2, "")) })
	}
	all.Go(func() { send("POST", path+"/cancel", `{}`).Want(t, http.StatusOK) })
	all.Wait()
	for _, a := range answers {
		if a.Status != http.StatusOK && a.Code() != "RESERVATION.ILLEGAL_TRANSITION" {
			t.Errorf("got %d %s, want 200 or an illegal transition", a.Status, a.Body)
		}
	}
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.State, "cancelled", "state by the confirmation")
}

// TestChange_withoutStore changes dates while the document store is down. The confirmation needs no invalidation.
func TestChange_withoutStore(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	g.Must(http.StatusOK, "GET", path, nil)
	site := g.Front
	down := &documenttest.Memory{Refuse: func(string) error { return fault.ErrUnavailable }}
	g.Front = fntest.Behind(t, document.StoreKey.With(s.Env, down), s.Front.Issuer(), guestchange.Function)
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, ""))
	g.Front = site
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.Stay.Nights, 3, "nights by the confirmation")
}
