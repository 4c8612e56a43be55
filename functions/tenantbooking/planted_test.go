package tenantbooking_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/abandondraft"
	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmpayment"
	"melmastoon.ghasi.io/functions/tenantbooking/consumehandoff"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
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

func planting(t *testing.T) *tenantbookingtest.System {
	t.Helper()
	system, _ := tenantbookingtest.BuildWithHotels(t, bootstrap.Function, quote.Function, hold.Function, setguest.Function, readdraft.Function, abandondraft.Function,
		openintent.Function, confirmcash.Function, confirmpayment.Function, readconfirmation.Function, consumehandoff.Function, sessionrevoked.Function)
	return system
}

// TestSetGuest_plantedCookie has the victim book in a session whose cookie an attacker has planted in the victim's browser.
func TestSetGuest_plantedCookie(t *testing.T) {
	t.Parallel()
	system := planting(t)
	victim := system.Guest(0)
	planted := victim.Cookie
	token := `{"token":"` + system.Link(0).Reveal() + `"}`
	victim.Must(http.StatusOK, "POST", "/handoff/consume", token)
	victim.RequestQuote().Hold()
	for _, guest := range []string{tenantbookingtest.Zarghona, strings.Replace(tenantbookingtest.Zarghona, "Zarghona", "Spozhmai", 1)} {
		t.Run(guest, func(t *testing.T) {
			before := victim.Cookie
			victim.Must(http.StatusOK, "PATCH", "/draft/"+victim.Draft.String(), guest)
			check.NotEqual(t, victim.Cookie, before, "the session keeps its id after the guest's details were set or changed")
		})
	}
	victim.Must(http.StatusOK, "POST", "/handoff/consume", token)
	draft, confirmation := "/draft/"+victim.Draft.String(), "/confirmation/"+victim.Stay.String()
	read := func(cookie, method, path, body string) fntest.Answer {
		return system.Front.As("").Send(method, victim.Path(path), body, "Cookie", cookie, "Idempotency-Key", tenantbookingtest.Key(), "User-Agent", "Mobile")
	}
	refused := func(when string) {
		t.Helper()
		for _, call := range [][3]string{{"GET", draft}, {"PATCH", draft, tenantbookingtest.Zarghona}, {"DELETE", draft}, {"POST", draft + "/payment-intent", `{"method":"card"}`},
			{"POST", draft + "/return"}, {"POST", draft + "/confirm"}, {"GET", confirmation}} {
			t.Run(fmt.Sprint(call), func(t *testing.T) {
				read(planted, call[0], call[1], call[2]).Want(t, http.StatusNotFound)
			})
		}
		a := read(planted, "GET", "/bootstrap", "")
		a.Want(t, http.StatusOK)
		check.Lacks(t, string(a.Body), victim.Draft.String())
	}
	refused("while booking,")
	victim.Pay("cash_on_arrival")
	victim.Must(http.StatusOK, "POST", draft+"/confirm", nil)
	refused("when booked,")
	for _, both := range []string{planted + "; " + victim.Cookie, victim.Cookie} {
		t.Run(both, func(t *testing.T) {
			for _, path := range []string{draft, confirmation} {
				t.Run(path, func(t *testing.T) {
					read(both, "GET", path, "").Want(t, http.StatusOK)
				})
			}
		})
	}
	session, _, _ := strings.Cut(planted[strings.Index(planted, "=")+1:], ".")
	var left int
	err := system.DB.Owner(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM bff_tenant_booking.booking_drafts AS d WHERE d.session_id <> @now)
			+ (SELECT count(*) FROM bff_tenant_booking.booking_draft_snapshots AS s WHERE s.session_id = @before OR s.session_id <> @nowText)
			+ (SELECT count(*) FROM bff_tenant_booking.handoff_arrival_log AS h WHERE h.session_id <> @now)`,
		pgx.StrictNamedArgs{"before": session, "now": victim.Session.ID, "nowText": victim.Session.ID.String()}).Scan(&left)
	check.Must(t, err)
	check.Equal(t, left, 0, "rows of an earlier session")
}

// TestSetGuest_earlierBooking books twice in one browser. The earlier booking is accessible under the session's new id.
func TestSetGuest_earlierBooking(t *testing.T) {
	t.Parallel()
	g := planting(t).Guest(0)
	for range 2 {
		g.RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
		g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil)
	}
	for _, stay := range g.Platform.Stays() {
		g.Must(http.StatusOK, "GET", "/confirmation/"+stay.ID.String(), nil)
	}
}

// TestSetGuest_lostResponse repeats a request whose response was lost, with the guest's cookie and key. Another key is not
// accepted, because an attacker who planted the cookie could send it.
func TestSetGuest_lostResponse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, cut string // state of the ledger
	}{
		{"answered", ``},
		{"cut off before the answer was kept", `UPDATE bff_tenant_booking.idempotency SET status_code = NULL, headers = NULL, response = NULL, locked_until = clock_timestamp()
			WHERE key LIKE 'tenantbooking-setguest:%'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := planting(t).Guest(0).RequestQuote().Hold()
			path, cookie, key := "/draft/"+g.Draft.String(), g.Cookie, []string{"Idempotency-Key", tenantbookingtest.Key()}
			first := g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona, key...)
			check.Got(g.DB.Owner(t).Exec(t.Context(), test.cut)).Must(t)
			other := strings.Replace(tenantbookingtest.Zarghona, "Zarghona", "Spozhmai", 1)
			g.Cookie = cookie
			g.Must(http.StatusUnprocessableEntity, "PATCH", path, other, key...)
			g.Must(http.StatusNotFound, "PATCH", path, tenantbookingtest.Zarghona)
			again := g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona, key...)
			check.Equal(t, again.Header.Get("Etag"), first.Header.Get("Etag"), "again: version")
			check.NotEqual(t, g.Cookie, cookie, "again: no new cookie, but")
			g.Must(http.StatusOK, "GET", path, nil)
		})
	}
}

// TestSetGuest_revokedSession revokes a session under the id before its guest's details were set, and sets the details in a
// revoked session.
func TestSetGuest_revokedSession(t *testing.T) {
	t.Parallel()
	system := planting(t)
	g := system.Guest(0).RequestQuote().Hold()
	before, now := g.Session, system.Env.Now()
	g.SetGuest()
	revocation := map[string]any{"sessionId": before.ID.String(), "reason": "stolen", "revokedAt": now}
	system.Deliver(sessionrevoked.Function, g.Tenant.ID, revocation, now)
	g.Must(http.StatusUnauthorized, "GET", "/draft/"+g.Draft.String(), nil)

	sessions, err := session.OpenSessions(system.Env)
	check.Must(t, err)
	late := system.Guest(0)
	next := session.Renamed(id.New[id.Request]())
	check.Must(t, sessions.Revoke(t.Context(), late.Tenant.ID, late.Session.ID, now))
	check.Must(t, sessions.Rename(t.Context(), late.Session, next))
	check.Equal(t, sessions.Get(t.Context(), late.Tenant, next, late.Session).RevokedAt, now, "a session that was revoked during the request is still valid")
}
