package tenantbooking_test

import (
	"net/http"
	"sync"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/cancel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// bookByCard books a stay of two nights, for 200 in all, and returns the path of its confirmation and the view token.
func bookByCard(t *testing.T, s *tenantbookingtest.System) (g *tenantbookingtest.Guest, path, token string) {
	t.Helper()
	g = s.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	g.Platform.Pay(g.Intent, true)
	out := fntest.Read[booking.Outcome](t, g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil))
	return g, "/confirmation/" + g.Stay.String(), out.ViewToken
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	g.Platform.Change(func() { g.Platform.Penalty = 50_000_000 })
	g.Must(http.StatusOK, "GET", path, nil)
	var dry, out, again cancel.Response
	g.Must(http.StatusOK, "POST", path+"/cancel", `{"dryRun":true}`).Into(t, &dry)
	check.Equal(t, dry.Penalty.Amount, 5000)
	check.Equal(t, dry.Refund.Amount, 15000)
	if dry.FreeUntil == nil || dry.State != "confirmed" {
		t.Errorf("the dry run answers state %s and deadline %v", dry.State, dry.FreeUntil)
	}
	shown := `{"penalty":{"amountMinor":5000,"currency":"AFN","exponent":2}}`
	g.Must(http.StatusOK, "POST", path+"/cancel", shown, "Idempotency-Key", "once").Into(t, &out)
	check.Equal(t, out.State, "cancelled")
	check.Equal(t, out.Cancellation, dry.Cancellation)
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.State, "cancelled", "the confirmation still has the state")
	if seen.Cancelled == nil || *seen.Cancelled != dry.Cancellation {
		t.Errorf("the confirmation has the cancellation %v, want %v", seen.Cancelled, dry.Cancellation)
	}
	g.Must(http.StatusOK, "POST", path+"/cancel", shown, "Idempotency-Key", "once").Want(t, http.StatusOK, "Idempotent-Replayed", "true")
	g.Must(http.StatusOK, "POST", path+"/cancel", `{"dryRun":true}`).Into(t, &again)
	check.Equal(t, again.DryRun, true)
	check.Equal(t, again.State, "cancelled")
	again = cancel.Response{}
	g.Platform.Change(func() { g.Platform.Penalty = 200_000_000 })
	a := g.Front.As("").Send("POST", g.Path(path+"/cancel?t="+token), `{}`, "Idempotency-Key", "another-device")
	a.Want(t, http.StatusOK)
	a.Into(t, &again)
	check.Equal(t, again.Cancellation, dry.Cancellation, "a second cancellation answers")
}

func TestCancel_refused(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	stranger, elsewhere := s.Guest(0), s.Guest(1)
	for _, test := range []struct {
		name        string
		by          *tenantbookingtest.Guest
		query, body string
		penalty     int64
		state       string
		status      int
		code        string
	}{
		{name: "stranger", by: stranger, body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "wrong_token", by: stranger, query: "?t=" + token + "x", body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "other_hotel", by: elsewhere, query: "?t=" + token, body: `{}`, status: 404, code: "GENERAL.RESOURCE_NOT_FOUND"},
		{name: "costs_more", by: g, body: `{"penalty":{"amountMinor":0,"currency":"AFN","exponent":2}}`, penalty: 1_000_000, status: 409, code: "RESERVATION.PENALTY_CHANGED"},
		{name: "other_currency", by: g, body: `{"penalty":{"amountMinor":0,"currency":"USD","exponent":2}}`, status: 409, code: "RESERVATION.PENALTY_CHANGED"},
		{name: "negative", by: g, body: `{"penalty":{"amountMinor":-1,"currency":"AFN","exponent":2}}`, status: 400, code: "GENERAL.VALIDATION_FAILED"},
		{name: "in_house", by: g, body: `{}`, state: "checked_in", status: 409, code: "RESERVATION.ILLEGAL_TRANSITION"},
	} {
		t.Run(test.name, func(t *testing.T) {
			booked := g.Platform.Stays()[0]
			g.Platform.Change(func() {
				g.Platform.Penalty = money.Micro(test.penalty)
				if test.state != "" {
					booked.State = test.state
				}
			})
			test.by.Send("POST", path+"/cancel"+test.query, test.body).WantProblem(t, test.status, test.code)
			check.NotEqual(t, booked.State, "cancelled", "the reservation is cancelled")
		})
	}
}

// TestCancel_concurrent cancels in several windows at once. Each gets the same terms.
func TestCancel_concurrent(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	var all sync.WaitGroup
	answers := make([]fntest.Answer, 8)
	for i := range answers {
		all.Go(func() {
			answers[i] = g.Front.As("").Send("POST", g.Path(path+"/cancel"), `{}`, "Cookie", g.Cookie, "Idempotency-Key", tenantbookingtest.Key())
		})
	}
	all.Wait()
	for _, a := range answers {
		var out cancel.Response
		a.Want(t, http.StatusOK)
		a.Into(t, &out)
		check.Equal(t, out.State, "cancelled")
		check.Equal(t, out.Refund.Amount, 20000)
	}
}

// TestCancel_withoutStore cancels while the document store is down. The confirmation needs no invalidation.
func TestCancel_withoutStore(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	g.Must(http.StatusOK, "GET", path, nil)
	site := g.Front
	down := &documenttest.Memory{Refuse: func(string) error { return fault.ErrUnavailable }}
	g.Front = fntest.Behind(t, document.StoreKey.With(s.Env, down), s.Front.Issuer(), cancel.Function)
	g.Must(http.StatusOK, "POST", path+"/cancel", `{}`)
	g.Front = site
	seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", path, nil))
	check.Equal(t, seen.State, "cancelled", "state by the confirmation")
}
