package changesession

import (
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Equal(t, strings.Count(tenantbookingtest.PublishedText(t, system.DB), `"isRtlChange": true`), 2)
	sessions, err := session.OpenSessions(system.Env)
	check.Must(t, err)
	stored := sessions.Get(t.Context(), guest.Tenant, guest.Session.ID, session.Session{})
	check.Equal(t, stored.Locale, "fa-AF", "stored the language")
	check.Equal(t, stored.Currency, "USD", "stored the currency")
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
			check.Equal(t, guest.Send("PATCH", "/session", body).Code(), want)
		})
	}
	tenantbookingtest.WantEvents(t, system.DB, "locale.changed", 0)
}

func TestChangeSession_noTelemetry(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, Function)
	guest := system.Guest(0)
	sessions, err := session.OpenSessions(system.Env)
	check.Must(t, err)
	guest.Session.Consent.Telemetry, guest.Session.Version = false, 9
	check.Must(t, sessions.Save(t.Context(), guest.Session, session.Session{}))
	guest.Must(200, "PATCH", "/session", `{"locale":"en"}`)
	tenantbookingtest.WantEvents(t, system.DB, "locale.changed", 0)
}
