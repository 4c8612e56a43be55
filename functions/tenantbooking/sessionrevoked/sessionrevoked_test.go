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
)

func revoked(session string, at time.Time) any {
	return map[string]any{"sessionId": session, "reason": "signed-out-everywhere", "revokedAt": at}
}

func TestRevoked(t *testing.T) {
	t.Parallel()
	street, _ := tenantbookingtest.Shopping(t, sessionrevoked.Function, quote.Function, hold.Function, setguest.Function, readdraft.Function, bootstrap.Function,
		changesession.Function, abandondraft.Function, openintent.Function, confirmcash.Function, confirmpayment.Function, readconfirmation.Function)
	g := street.Guest(0)
	booked := street.Guest(0).Ask().Hold().Name().Pay("cash_on_arrival")
	var outcome booking.Outcome
	booked.Must(http.StatusOK, "POST", "/draft/"+booked.Draft.String()+"/confirm", nil).Into(t, &outcome)
	g.Ask().Hold().Name()
	draft, now := "/draft/"+g.Draft.String(), street.Env.Now()
	for _, other := range []string{id.New[id.TenantSession]().String(), "ses_" + g.Session.ID.String()[len("tnt_session_"):]} {
		street.Tell(sessionrevoked.Function, g.Tenant.ID, revoked(other, now), now)
	}
	street.Tell(sessionrevoked.Function, street.Town.Tenants[1].ID, revoked(g.Session.ID.String(), now), now)
	street.Tell(sessionrevoked.Function, id.Tenant{}, revoked(g.Session.ID.String(), now), now)
	g.Must(http.StatusOK, "GET", draft, nil) // none of these events was about this session

	for range 2 {
		street.Tell(sessionrevoked.Function, g.Tenant.ID, revoked(g.Session.ID.String(), now), now)
	}
	street.Tell(sessionrevoked.Function, g.Tenant.ID, revoked(booked.Session.ID.String(), now), now)
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{"GET", draft, nil}, {"PATCH", draft, tenantbookingtest.Zarghona}, {"DELETE", draft, nil}, {"POST", "/quote", g.Wish()}, {"POST", "/hold", g.Holding()},
		{"POST", draft + "/payment-intent", `{"method":"card"}`}, {"POST", draft + "/return", nil}, {"POST", draft + "/confirm", nil}, {"PATCH", "/session", `{"locale":"en"}`},
	} {
		if a := g.Send(call.method, call.path, call.body); a.Status != http.StatusUnauthorized || strings.Contains(string(a.Body), "Zarghona") {
			t.Errorf("%s %s by a revoked session: %d %s, want 401", call.method, call.path, a.Status, a.Body)
		}
	}
	if state, _ := g.State(); state != "collecting_details" {
		t.Errorf("a revoked session has moved its draft to %s", state)
	}
	confirmation := "/confirmation/" + booked.Stay.String()
	booked.Must(http.StatusNotFound, "GET", confirmation, nil)
	booked.Must(http.StatusOK, "GET", confirmation+"?t="+outcome.ViewToken, nil)
	gone := g.Session.ID
	g.Must(http.StatusOK, "GET", "/bootstrap", nil)
	if g.Session.ID == gone {
		t.Errorf("bootstrap continues a revoked session: %s", g.Cookie)
	}
	g.Ask()
}

func TestRevoked_unknownSession(t *testing.T) {
	t.Parallel()
	street := tenantbookingtest.Build(t, sessionrevoked.Function, quote.Function)
	g := street.Guest(0)
	if _, err := street.DB.Owner(t).Exec(t.Context(), `DELETE FROM document.documents`); err != nil {
		t.Fatal(err)
	}
	now := street.Env.Now()
	street.Tell(sessionrevoked.Function, g.Tenant.ID, revoked(g.Session.ID.String(), now), now)
	g.Must(http.StatusUnauthorized, "POST", "/quote", g.Wish())
}

func TestRevoked_otherwiseCookiesAreRenewed(t *testing.T) {
	t.Parallel()
	street := tenantbookingtest.Build(t, quote.Function)
	g := street.Guest(0)
	if a := g.Must(http.StatusCreated, "POST", "/quote", g.Wish()); a.Header.Get("Set-Cookie") != "" {
		t.Errorf("a new cookie is replaced by %s", a.Header.Get("Set-Cookie"))
	}
	for range 3 {
		street.DB.Advance(25 * 24 * time.Hour)
		renewed := g.Must(http.StatusCreated, "POST", "/quote", g.Wish()).Header.Get("Set-Cookie")
		if !strings.Contains(renewed, g.Session.ID.String()) {
			t.Fatalf("after 25 days the cookie is not renewed: %q", renewed)
		}
		g.Cookie, _, _ = strings.Cut(renewed, ";")
	}
	street.DB.Advance(31 * 24 * time.Hour)
	g.Must(http.StatusUnauthorized, "POST", "/quote", g.Wish())
}
