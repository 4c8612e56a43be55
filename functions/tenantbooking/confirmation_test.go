package tenantbooking_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// bookInCash books a stay, and returns the path of its confirmation and the view token.
func bookInCash(t *testing.T, s *tenantbookingtest.System) (g *tenantbookingtest.Guest, path, token string) {
	t.Helper()
	g = s.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	out := fntest.Read[booking.Outcome](t, g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil))
	return g, "/confirmation/" + g.Stay.String(), out.ViewToken
}

func TestConfirmation_telemetryFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, sql, undo string }{
		{"views_locked", `LOCK TABLE bff_tenant_booking.confirmation_views IN ACCESS EXCLUSIVE MODE`, ""},
		{"views_gone", `ALTER TABLE bff_tenant_booking.confirmation_views RENAME TO gone`, `ALTER TABLE bff_tenant_booking.gone RENAME TO confirmation_views`},
		{"outbox_locked", `LOCK TABLE bff_tenant_booking.outbox IN ACCESS EXCLUSIVE MODE`, ""},
		{"outbox_gone", `ALTER TABLE bff_tenant_booking.outbox RENAME TO gone`, `ALTER TABLE bff_tenant_booking.gone RENAME TO outbox`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := tenantbookingtest.Build(t, quote.Function, hold.Function, setguest.Function, openintent.Function, confirmcash.Function, readconfirmation.Function)
			g, path, _ := bookInCash(t, s)
			tx, err := s.DB.Owner(t).Begin(t.Context())
			check.Must(t, err)
			defer func() { _ = tx.Rollback(t.Context()) }()
			check.Got(tx.Exec(t.Context(), test.sql)).Must(t)
			if test.undo != "" {
				check.Must(t, tx.Commit(t.Context()))
			}
			g.Send("GET", path, nil).Want(t, http.StatusOK)
			check.Got(s.DB.Owner(t).Exec(t.Context(), test.undo)).Must(t)
		})
	}
}

func TestConfirmation_sessionKeysRotatedAway(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, quote.Function, hold.Function, setguest.Function, openintent.Function, confirmcash.Function, readconfirmation.Function)
	g, path, token := bookInCash(t, s)
	other := "other:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("o", 32)))
	for _, test := range []struct {
		ring string
		want int
	}{
		{ring: "TENANT_SESSION_KEYS", want: http.StatusOK},
		{ring: "VIEW_TOKEN_KEYS", want: http.StatusNotFound},
	} {
		t.Run(test.ring, func(t *testing.T) {
			g.Front = fntest.Behind(t, s.Env.With(test.ring, other), s.Front.Issuer(), readconfirmation.Function)
			g.Front.As("").Send("GET", g.Path(path+"?t="+token), nil).Want(t, test.want)
		})
	}
}

// TestConfirmation_followsDesk changes a booking without the guest. The confirmation shows it at once, to the guest and to a reader with
// the view token.
func TestConfirmation_followsDesk(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	stay := g.Platform.Stays()[0]
	for _, test := range []struct {
		name   string
		change func()
		state  string
		nights int
		due    int64
		back   int64
	}{
		{name: "unchanged", change: func() {}, state: "confirmed", nights: 2},
		{name: "dates", change: func() { stay.Quote.Stay.End = stay.Quote.Stay.End.AddDays(1) }, state: "confirmed", nights: 3},
		{name: "price", change: func() { stay.Quote.Total += 100_000_000 }, state: "confirmed", nights: 3, due: 10000},
		{name: "checked_in", change: func() { stay.State = "checked_in" }, state: "checked_in", nights: 3, due: 10000},
		{name: "paid_at_desk", change: func() { stay.Quote.Total -= 100_000_000 }, state: "checked_in", nights: 3},
		{name: "refunded", change: func() { stay.Refunded = 50_000_000 }, state: "checked_in", nights: 3, back: 5000},
		{name: "no_show", change: func() { stay.State = "no_show" }, state: "no_show", nights: 3, back: 5000},
	} {
		t.Run(test.name, func(t *testing.T) {
			g.Platform.Change(test.change)
			shows := func(query string) {
				t.Helper()
				var seen booking.Confirmation
				a := g.Must(http.StatusOK, "GET", path+query, nil)
				a.Into(t, &seen)
				check.Equal(t, seen.State, test.state)
				check.Equal(t, seen.Stay.Nights, test.nights)
				check.Equal(t, amountOf(seen.Due), test.due, "%s", query)
				if back := amountOf(seen.Refunded); back != test.back || (seen.RefundedAt != nil) != (back > 0) {
					t.Errorf("%q shows %d refunded at %v, want %d", query, back, seen.RefundedAt, test.back)
				}
			}
			shows("")
			shows("?t=" + token)
		})
	}
}

func amountOf(m *money.Minor) int64 {
	if m == nil {
		return 0
	}
	return m.Amount
}

// TestConfirmation_serviceFails shows the copy of the last read for ten minutes while the reservation service fails, also to a caller
// that has waited for it until the end of its time.
func TestConfirmation_serviceFails(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	g.Must(http.StatusOK, "GET", path, nil)
	fails := func(status int, code string) {
		g.Platform.Change(func() {
			g.Platform.Rejects = func(r *http.Request) (int, string) {
				if !strings.HasPrefix(r.URL.Path, "/reservation/") {
					return 0, ""
				}
				return status, code
			}
		})
	}
	fails(http.StatusServiceUnavailable, "GENERAL.UNAVAILABLE")
	showsCopy := func(query string) {
		t.Helper()
		var seen booking.Confirmation
		a := g.Send("GET", path+query, nil)
		a.Want(t, http.StatusOK, "X-Cache", "STALE")
		a.Into(t, &seen)
		check.Equal(t, seen.State, "confirmed", "state of the copy")
	}
	showsCopy("")
	showsCopy("?t=" + token)
	fails(http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
	g.Send("GET", path, nil).WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
	fails(http.StatusServiceUnavailable, "GENERAL.UNAVAILABLE")
	s.DB.Advance(10*time.Minute - time.Second)
	g.Send("GET", path, nil).Want(t, http.StatusOK, "X-Cache", "STALE")
	s.DB.Advance(time.Second)
	g.Send("GET", path, nil).WantProblem(t, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE")
	fails(0, "")
	g.Send("GET", path, nil).Want(t, http.StatusOK, "X-Cache", "MISS")
}

// TestConfirmation_serviceHangs shows the copy to a guest for whom the reservation service does not respond in time.
func TestConfirmation_serviceHangs(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	g.Must(http.StatusOK, "GET", path, nil)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(service.Close)
	e := s.Env.With("UPSTREAM_RESERVATION_URL", service.URL+"/reservation")
	g.Front = fntest.Behind(t, e, s.Front.Issuer(), readconfirmation.Function)
	g.Send("GET", path, nil).Want(t, http.StatusOK, "X-Cache", "STALE")
}
