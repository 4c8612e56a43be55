package tenantbooking_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// publishAllSteps switches sampling off, so that a test can count steps.
func publishAllSteps(t *testing.T, system *tenantbookingtest.System) {
	t.Helper()
	all := flags.Document{Sampling: []byte(`{"` + subject.StepCompletedV1.Name + `": 1}`)}
	docs := document.Open[flags.Document](system.Env, subject.FlagsIn)
	check.Got(docs.Put(t.Context(), flags.Key, all, 1, system.Env.Now().AddDate(1, 0, 0))).Must(t)
}

// published returns how many events of the subject are in the outbox.
func published(t *testing.T, system *tenantbookingtest.System, name string) (n int) {
	t.Helper()
	err := system.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_tenant_booking.outbox WHERE subject = $1`,
		"melmastoon.bff.tenant."+name+".v1").Scan(&n)
	check.Must(t, err)
	return n
}

const stepped = "flow.step_completed"

func consent(g *tenantbookingtest.Guest, given string) {
	g.Must(http.StatusOK, "PATCH", "/session", `{"consentTelemetry":`+given+`}`)
}

// Each call is made with the consent and the headers of its row, on one running draft.
func TestConsent_runningDraft(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	publishAllSteps(t, system)
	g := system.Guest(0).RequestQuote()
	for _, test := range []struct {
		name    string
		act     func()
		counted bool
	}{
		{"with consent", func() { g.Hold() }, true},
		{"back to the quote", func() { g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`)) }, false},
		{"without consent", func() { consent(g, "false"); g.Hold() }, false},
		{"without consent, under the new id", func() { g.SetGuest() }, false},
		{"with consent again, but DNT", func() {
			consent(g, "true")
			consent(g, "true") // twice
			g.Must(http.StatusCreated, "POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"card"}`, "DNT", "1")
		}, false},
		{"with consent again", func() {
			g.Platform.Pay(g.Intent, false)
			g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := published(t, system, stepped)
			test.act()
			check.Equal(t, published(t, system, stepped) > before, test.counted, "telemetry published")
		})
	}
	g.WantEnd("confirmed", "converted", created, intended, converted) // evidence is published in any case
}

// The sweep acts without the session, so the draft carries the consent.
func TestConsent_sweep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes []string
		counted bool
	}{
		"given": {nil, true}, "withdrawn": {[]string{"false"}, false}, "withdrawn and given again": {[]string{"false", "true"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
			publishAllSteps(t, system)
			g := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
			for _, given := range test.changes {
				consent(g, given)
			}
			before := published(t, system, stepped)
			g.Platform.Pay(g.Intent, false)
			system.DB.Advance(3 * time.Minute)
			sweep(t, g)
			check.Equal(t, published(t, system, stepped) > before, test.counted, "telemetry published")
			check.Equal(t, published(t, system, converted), 1, "published events booking.draft.converted")
		})
	}
}

func TestConsent_otherSession(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	publishAllSteps(t, system)
	other := system.Guest(0).RequestQuote()
	consent(system.Guest(0), "false")
	other.Hold()
	check.NotEqual(t, published(t, system, stepped), 0, "another session's consent silenced this session's draft")
}

// A change of the consent does not make the guest's ETag stale.
func TestConsent_keepsVersion(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0).RequestQuote().Hold()
	g.Must(http.StatusOK, "GET", "/draft/"+g.Draft.String(), nil)
	shown := g.Version
	consent(g, "false")
	g.Must(http.StatusOK, "PATCH", "/draft/"+g.Draft.String(), tenantbookingtest.Zarghona, "If-Match", shown)
}

func TestConsent_signals(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	g := system.Guest(0)
	for _, test := range []struct {
		name, body string
		headers    []string
		want       int
	}{
		{"DNT", `{"locale":"en"}`, []string{"DNT", "1"}, 0},
		{"Sec-GPC", `{"locale":"fa-AF"}`, []string{"Sec-GPC", "1"}, 0},
		{"DNT: 0", `{"locale":"en"}`, []string{"DNT", "0"}, 1},
		{"consent is withdrawn with the change", `{"locale":"fa-AF","consentTelemetry":false}`, nil, 1},
		{"DNT beats consent", `{"locale":"en","consentTelemetry":true}`, []string{"DNT", "1"}, 1},
		{"the consent of that call counts", `{"locale":"fa-AF"}`, nil, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := g.Must(http.StatusOK, "PATCH", "/session", test.body, test.headers...)
			check.Equal(t, published(t, system, "locale.changed"), test.want, "events")
			a.WantText(t, `"consentTelemetry":`+map[bool]string{true: "true", false: "false"}[stored(t, g).Consent.Telemetry])
		})
	}
}

// loseSession deletes the document of the guest's session.
func loseSession(t *testing.T, s *tenantbookingtest.System, g *tenantbookingtest.Guest) {
	t.Helper()
	docs := document.Open[session.Session](s.Env, "tnt-session")
	check.Must(t, docs.Delete(t.Context(), document.KeyOf(g.Session.ID.String())))
}

// TestConsent_lostSession: the document of a session whose guest has declined is lost. The session is silent, until the guest agrees.
func TestConsent_lostSession(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	publishAllSteps(t, system)
	g := system.Guest(0)
	consent(g, "false")
	loseSession(t, system, g)
	a := g.Must(http.StatusOK, "PATCH", "/session", `{"locale":"fa-AF"}`)
	a.WantText(t, `"consentTelemetry":false`)
	check.Equal(t, published(t, system, "locale.changed"), 0, "published events locale.changed")
	g.RequestQuote().Hold()
	g.Send("POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"card"}`).WantProblem(t, http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP")
	check.Equal(t, published(t, system, stepped)+published(t, system, errored), 0, "published events of telemetry")
	consent(g, "true")
	g.SetGuest()
	check.NotEqual(t, published(t, system, stepped), 0, "published no step after the guest has agreed")
}
