package sessionrevoked_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/abandondraft"
	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmpayment"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/readdraft"
	"melmastoon.ghasi.io/functions/tenantbooking/sessionrevoked"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func revoked(session string, at time.Time) any {
	return map[string]any{"sessionId": session, "reason": "signed-out-everywhere", "revokedAt": at}
}

func TestSessionRevoked_everyFunction(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, sessionrevoked.Function, quote.Function, hold.Function, setguest.Function, readdraft.Function, bootstrap.Function,
		changesession.Function, abandondraft.Function, openintent.Function, confirmcash.Function, confirmpayment.Function, readconfirmation.Function)
	g := system.Guest(0)
	booked := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	outcome := fntest.Read[booking.Outcome](t, booked.Must(http.StatusOK, "POST", "/draft/"+booked.Draft.String()+"/confirm", nil))
	g.RequestQuote().Hold().SetGuest()
	draft, now := "/draft/"+g.Draft.String(), system.Env.Now()
	for _, other := range []string{id.New[id.TenantSession]().String(), "ses_" + g.Session.ID.String()[len("tnt_session_"):]} {
		system.Deliver(sessionrevoked.Function, g.Tenant.ID, revoked(other, now), now)
	}
	system.Deliver(sessionrevoked.Function, system.Platform.Tenants[1].ID, revoked(g.Session.ID.String(), now), now)
	g.Must(http.StatusOK, "GET", draft, nil) // none of these events was about this session

	for range 2 {
		system.Deliver(sessionrevoked.Function, g.Tenant.ID, revoked(g.Session.ID.String(), now), now)
	}
	system.Deliver(sessionrevoked.Function, g.Tenant.ID, revoked(booked.Session.ID.String(), now), now)
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{"GET", draft, nil}, {"PATCH", draft, tenantbookingtest.Zarghona}, {"DELETE", draft, nil}, {"POST", "/quote", g.QuoteBody()}, {"POST", "/hold", g.HoldBody()},
		{"POST", draft + "/payment-intent", `{"method":"card"}`}, {"POST", draft + "/return", nil}, {"POST", draft + "/confirm", nil}, {"PATCH", "/session", `{"locale":"en"}`},
	} {
		t.Run(strings.ReplaceAll(call.method+call.path, "/", "_"), func(t *testing.T) {
			a := g.Send(call.method, call.path, call.body)
			a.Want(t, http.StatusUnauthorized)
			check.Lacks(t, string(a.Body), "Zarghona")
		})
	}
	if state, _ := g.State(); state != "collecting_details" {
		t.Errorf("got draft state %s, want collecting_details", state)
	}
	confirmation := "/confirmation/" + booked.Stay.String()
	booked.Must(http.StatusNotFound, "GET", confirmation, nil)
	booked.Must(http.StatusOK, "GET", confirmation+"?t="+outcome.ViewToken, nil)
	gone := g.Session.ID
	g.Must(http.StatusOK, "GET", "/bootstrap", nil)
	check.NotEqual(t, g.Session.ID, gone, "bootstrap continues a revoked session: %s", g.Cookie)
	g.RequestQuote()
}

func TestSessionRevoked_unknownSession(t *testing.T) {
	t.Parallel()
	system := tenantbookingtest.Build(t, sessionrevoked.Function, quote.Function)
	g := system.Guest(0)
	check.Got(system.DB.Owner(t).Exec(t.Context(), `DELETE FROM document.documents`)).Must(t)
	now := system.Env.Now()
	system.Deliver(sessionrevoked.Function, g.Tenant.ID, revoked(g.Session.ID.String(), now), now)
	g.Must(http.StatusUnauthorized, "POST", "/quote", g.QuoteBody())
}

func TestSessionRevoked_validCookieRenewed(t *testing.T) {
	t.Parallel()
	system := tenantbookingtest.Build(t, quote.Function)
	g := system.Guest(0)
	check.Equal(t, g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody()).Header.Get("Set-Cookie"), "", "cookie that replaces a new one")
	for range 3 {
		system.DB.Advance(25 * 24 * time.Hour)
		renewed := g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody()).Header.Get("Set-Cookie")
		if !strings.Contains(renewed, g.Session.ID.String()) {
			t.Fatalf("after 25 days the cookie is not renewed: %q", renewed)
		}
		g.Cookie, _, _ = strings.Cut(renewed, ";")
	}
	system.DB.Advance(31 * 24 * time.Hour)
	g.Must(http.StatusUnauthorized, "POST", "/quote", g.QuoteBody())
}
