package changesession

import (
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
)

func TestChangeSession_storedAndPublishedOnce(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0) // without preferences of the browser: Pashto and the hotel's afghanis
	guest.Must(200, "PATCH", "/session", `{"locale":"en","currency":"USD"}`)
	guest.Must(200, "PATCH", "/session", `{"locale":"en","currency":"USD"}`)
	a := guest.Must(200, "PATCH", "/session", `{"locale":"prs"}`)
	a.WantText(t, `"tag":"fa-AF"`, `"currency":"USD"`)
	tenantbookingtest.WantEvents(t, system.DB, "locale.changed", 2)
	tenantbookingtest.WantEvents(t, system.DB, "currency.changed", 1)
	if published := tenantbookingtest.PublishedText(t, system.DB); strings.Count(published, `"isRtlChange": true`) != 2 {
		t.Errorf("published %s", published)
	}
	sessions, err := session.OpenSessions(system.Env)
	if err != nil {
		t.Fatal(err)
	}
	stored := sessions.Get(t.Context(), guest.Tenant, guest.Session.ID, session.Session{})
	if stored.Locale != "fa-AF" {
		t.Errorf("stored the language %q, want fa-AF", stored.Locale)
	}
	if stored.Currency != "USD" {
		t.Errorf("stored the currency %q, want USD", stored.Currency)
	}
}

func TestChangeSession_unsupported(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	for body, want := range map[string]string{
		`{"locale":"de"}`:                  "BFF.CONSUMER.LOCALE_NOT_SUPPORTED",
		`{"locale":"en","currency":"GBP"}`: "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED",
		`{"currency":"XXX"}`:               "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED",
		`{"currency":"usd"}`:               "GENERAL.VALIDATION_FAILED",
		`{"locale":"-"}`:                   "GENERAL.VALIDATION_FAILED",
		`{}`:                               "GENERAL.VALIDATION_FAILED",
	} {
		t.Run(body, func(t *testing.T) {
			if a := guest.Send("PATCH", "/session", body); a.Code() != want {
				t.Errorf("got %d %s, want code %s", a.Status, a.Body, want)
			}
		})
	}
	tenantbookingtest.WantEvents(t, system.DB, "locale.changed", 0)
}

func TestChangeSession_noTelemetry(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	sessions, err := session.OpenSessions(system.Env)
	if err != nil {
		t.Fatal(err)
	}
	guest.Session.Consent.Telemetry, guest.Session.Version = false, 9
	if err := sessions.Save(t.Context(), guest.Session, session.Session{}); err != nil {
		t.Fatal(err)
	}
	guest.Must(200, "PATCH", "/session", `{"locale":"en"}`)
	tenantbookingtest.WantEvents(t, system.DB, "locale.changed", 0)
}
