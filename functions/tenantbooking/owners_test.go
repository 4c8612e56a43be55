package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// execute executes SQL as the owner of the database.
func execute(t *testing.T, s *tenantbookingtest.System, sql string) {
	t.Helper()
	check.Got(s.DB.Owner(t).Exec(t.Context(), sql)).Must(t)
}

// stayEnd returns the end of the stay in the row of the booking's owner.
func stayEnd(t *testing.T, s *tenantbookingtest.System) (end time.Time) {
	t.Helper()
	check.Must(t, s.DB.Owner(t).QueryRow(t.Context(), `SELECT stay_end FROM bff_tenant_booking.booking_owners`).Scan(&end))
	return end.UTC()
}

// TestOwner_withoutSnapshot: the session that booked opens its booking after the prune has deleted the snapshot, also after it has
// continued under another id. Another session does not.
func TestOwner_withoutSnapshot(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	stay := g.Stay
	g.RequestQuote().Hold().SetGuest() // renames the session
	g.Stay = stay
	execute(t, s, `DELETE FROM bff_tenant_booking.booking_draft_snapshots; DELETE FROM bff_tenant_booking.booking_drafts`)
	g.Must(http.StatusOK, "GET", path, nil)
	g.Must(http.StatusOK, "POST", path+"/cancel", `{"dryRun":true}`)
	g.Must(http.StatusOK, "POST", path+"/payment", `{}`)
	g.Must(http.StatusOK, "PATCH", path, dates(g, 3, ""))
	g.Must(http.StatusOK, "GET", path, nil)
	check.Equal(t, stayEnd(t, s), g.Env.Now().UTC().AddDate(0, 0, 3).Truncate(24*time.Hour), "the end of the stay")
	s.Guest(0).Send("GET", path, nil).WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
}

// TestOwner_earlierRelease: a booking of an earlier release has a snapshot and no row. Its row is written when its guest opens it.
func TestOwner_earlierRelease(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, _ := bookByCard(t, s)
	execute(t, s, `DELETE FROM bff_tenant_booking.booking_owners; DELETE FROM bff_tenant_booking.booking_drafts`)
	g.Must(http.StatusOK, "GET", path, nil)
	execute(t, s, `DELETE FROM bff_tenant_booking.booking_draft_snapshots`)
	g.Must(http.StatusOK, "GET", path, nil)
}

// TestPayBalance_events: a payment of what is due publishes its intent once, with the booking's draft, and errors are published.
func TestPayBalance_events(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := owing(t, s)
	execute(t, s, `DELETE FROM bff_tenant_booking.booking_draft_snapshots; DELETE FROM bff_tenant_booking.booking_drafts`)
	before := len(g.Published())
	begun(t, g, path, "card", 10000)
	begun(t, g, path, "card", 10000) // the same intent
	g.Front.As("").Send("POST", g.Path(path+"/payment?t="+token), toPay("card", 10000), "Idempotency-Key", tenantbookingtest.Key()).Want(t, http.StatusCreated)
	check.Equal(t, g.Published()[before:], []string{intended})
	var draft string
	err := s.DB.Owner(t).QueryRow(t.Context(), `SELECT payload ->> 'draftId' FROM bff_tenant_booking.outbox
		WHERE subject LIKE '%payment_intent.created%' ORDER BY seq DESC LIMIT 1`).Scan(&draft)
	if err != nil || draft != g.Draft.String() {
		t.Errorf("the event has the draft %s, %v, want %s", draft, err, g.Draft)
	}
	a := g.Send("POST", path+"/payment", toPay("card", 9999))
	a.WantProblem(t, http.StatusConflict, "BFF.TENANT.PRICE_CHANGED")
	a.WantText(t, "Another amount is due by now.") // the price is the same
	g.Send("PATCH", path, dates(g, 4, total(1))).WantProblem(t, http.StatusConflict, "BFF.TENANT.PRICE_CHANGED")
	s.Platform.Change(func() { s.Platform.Down = "reservation" })
	g.Send("POST", path+"/cancel", `{}`).WantProblem(t, http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE")
	want := []string{"MELMASTOON.BFF.TENANT.PRICE_CHANGED", "MELMASTOON.BFF.TENANT.PRICE_CHANGED", "MELMASTOON.BFF.UPSTREAM_UNAVAILABLE"}
	check.Equal(t, publishedErrors(t, g), want, "published the errors")
}

// TestChange_requestOnce: the view token identifies the guest, so that a repeated request with the same key is stored once.
func TestChange_requestOnce(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	g, path, token := bookByCard(t, s)
	ask := func(key, replayed string) {
		t.Helper()
		a := g.Front.As("").Send("PATCH", g.Path(path+"?t="+token), `{"specialRequest":{"tags":["cot"],"freeText":"A cot"}}`, "Idempotency-Key", key)
		a.Want(t, http.StatusOK, "Idempotent-Replayed", replayed)
	}
	ask("one", "")
	ask("one", "true")
	ask("one", "true")
	check.Equal(t, len(s.Platform.Stays()[0].Requests), 1)
	ask("two", "")
	check.Equal(t, len(s.Platform.Stays()[0].Requests), 2)
	a := g.Front.As("").Send("PATCH", g.Path(path+"?t=x"+token), `{"specialRequest":{"tags":["cot"]}}`, "Idempotency-Key", "one")
	a.WantProblem(t, http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
}

// TestCookie_renewed: each call of a session replaces a cookie that is older than a day, once.
func TestCookie_renewed(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0)
	system.DB.Advance(26 * time.Hour)
	check.Equal(t, len(g.Must(http.StatusOK, "GET", "/bootstrap", nil).Header.Values("Set-Cookie")), 1, "cookies set by bootstrap for an old cookie")
	for _, call := range []struct{ method, rest, body string }{
		{"GET", "", ""}, {"POST", "/cancel", `{"dryRun":true}`}, {"POST", "/payment", `{}`}, {"PATCH", "", `{"specialRequest":{"tags":["cot"]}}`},
	} {
		t.Run(call.method+call.rest, func(t *testing.T) {
			g, path, _ := bookByCard(t, system)
			system.DB.Advance(26 * time.Hour)
			var body any
			if call.body != "" {
				body = call.body
			}
			a := g.Must(http.StatusOK, call.method, path+call.rest, body)
			check.Equal(t, len(a.Header.Values("Set-Cookie")), 1, "cookies")
			a = g.Must(http.StatusOK, "GET", "/bootstrap", nil)
			check.Equal(t, len(a.Header.Values("Set-Cookie")), 1, "cookies that bootstrap sets")
		})
	}
}

// TestLanguage_chosenLast: the language that the guest chooses after the quote reaches the return URL and the reservation, also when it
// changes again during the payment.
func TestLanguage_chosenLast(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0)
	speak := func(tag string) { g.Must(http.StatusOK, "PATCH", "/session", `{"locale":"`+tag+`"}`) }
	want := func(tag string) {
		t.Helper()
		check.Equal(t, strings.HasSuffix(system.Platform.Intent(g.Intent).Return, "&lang="+tag), true, "the return URL")
		check.Equal(t, string(system.Platform.Stays()[0].Guest.Locale), tag, "the guest's language is at the reservation service")
	}
	speak("en")
	g.RequestQuote().Hold()
	speak("fa-AF")
	g.SetGuest().Pay("card")
	want("fa-AF")
	speak("ps-AF")
	g.Pay("card")
	want("ps-AF")
}

// TestLanguage_lostSession loses the session's document. The draft keeps the language that the guest has chosen: the browser's languages do not
// replace it.
func TestLanguage_lostSession(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]func(g *tenantbookingtest.Guest, speak func(string)){
		"details": func(g *tenantbookingtest.Guest, speak func(string)) {
			speak("ps-AF")
			g.SetGuest()
		},
		"payment": func(g *tenantbookingtest.Guest, speak func(string)) {
			g.SetGuest().Pay("card")
			speak("ps-AF")
			g.Pay("card")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := tenantbookingtest.BuildWithHotels(t, site()...)
			g := s.Guest(0)
			speak := func(tag string) { g.Must(http.StatusOK, "PATCH", "/session", `{"locale":"`+tag+`"}`) }
			speak("fa-AF")
			g.RequestQuote().Hold()
			choose(g, speak)
			loseSession(t, s, g)
			g.Must(http.StatusCreated, "POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"card"}`, "Accept-Language", "en")
			check.Equal(t, strings.HasSuffix(s.Platform.Intent(g.Intent).Return, "&lang=ps-AF"), true, "the return URL")
		})
	}
}
