package sessionrevoked_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/readdraft"
	"melmastoon.ghasi.io/functions/tenantbooking/sessionrevoked"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
)

func revoked(session string, at time.Time) any {
	return map[string]any{"sessionId": session, "reason": "signed-out-everywhere", "revokedAt": at}
}

func TestARevokedSessionIsNobodysAndItsBookingGoesOn(t *testing.T) {
	t.Parallel()
	street := tenantbookingtest.Build(t, sessionrevoked.Function, quote.Function, readdraft.Function)
	g := street.Guest(0)
	sessions, err := tenantbooking.OpenSessions(street.Env)
	if err != nil {
		t.Fatal(err)
	}
	kept := func() tenantbooking.Session {
		return sessions.Get(t.Context(), g.Tenant, g.Session.ID, tenantbooking.Session{})
	}
	was := kept()
	came := was
	came.Campaign.Source, came.Locale = "letter", "en"
	if err := sessions.Keep(t.Context(), came, was); err != nil {
		t.Fatal(err)
	}
	g.Ask()
	now := street.Env.Now()
	for _, other := range []string{id.New[id.TenantSession]().String(), "ses_" + g.Session.ID.String()[len("tnt_session_"):]} {
		street.Tell(sessionrevoked.Function, g.Tenant.ID, revoked(other, now), now)
	}
	street.Tell(sessionrevoked.Function, street.Town.Tenants[1].ID, revoked(g.Session.ID.String(), now), now)
	street.Tell(sessionrevoked.Function, id.Tenant{}, revoked(g.Session.ID.String(), now), now)
	if got := kept(); got.Campaign.Source != "letter" {
		t.Errorf("none of them was this session, but it is %+v", got)
	}
	for range 2 {
		street.Tell(sessionrevoked.Function, g.Tenant.ID, revoked(g.Session.ID.String(), now), now)
	}
	if got := kept(); got.Campaign.Source != "" || got.Locale != "en" || !got.RevokedAt.Equal(now.Truncate(time.Millisecond)) {
		t.Errorf("revoked it is %+v", got)
	}
	g.Must(http.StatusOK, "GET", "/draft/"+g.Draft.String(), nil)
}
