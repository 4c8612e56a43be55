package consumer_test

import (
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestPreferences_changed(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, changesession.Function, readsession.Function)
	v := site.Traveller() // whose browser reads Pashto
	a := v.Must(200, "PATCH", "/session", `{"locale":"prs","currency":"USD","consentMarketing":true}`)
	const want = `{"localePreference":"fa-AF","currencyPreference":"USD","flags":{"consentTelemetry":true,"consentMarketing":true}}`
	check.Equal(t, string(a.Body), want)
	v.Must(200, "PATCH", "/session", `{"locale":"fa-AF"}`)
	v.Must(200, "PATCH", "/session", `{"consentMarketing":false}`)
	var language struct {
		From    string `json:"previousLocale"`
		To      string `json:"newLocale"`
		Trigger string `json:"trigger"`
	}
	site.Payload("locale.changed", &language)
	check.Equal(t, language.From, "ps-AF")
	check.Equal(t, language.To, "fa-AF")
	check.Equal(t, language.Trigger, "user-explicit")
	var currency struct {
		From string `json:"previousCurrency"`
		To   string `json:"newCurrency"`
	}
	site.Payload("currency.changed", &currency)
	check.Equal(t, currency.From, "AFN")
	check.Equal(t, currency.To, "USD")
	check.Equal(t, site.Published(), []string{"session.started", "locale.changed", "currency.changed"}, "events")
	shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
	check.Equal(t, shown.Locale, "fa-AF")
	check.Equal(t, shown.Currency, "USD")
	check.Equal(t, shown.Consent.Marketing, false)
}

func TestPreferences_unsupported(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, changesession.Function, readsession.Function)
	v := site.Traveller()
	for body, want := range map[string]string{
		`{"locale":"de"}`:                  "422 BFF.CONSUMER.LOCALE_NOT_SUPPORTED",
		`{"locale":"fa"}`:                  "422 BFF.CONSUMER.LOCALE_NOT_SUPPORTED",
		`{"currency":"CHF"}`:               "422 BFF.CONSUMER.CURRENCY_NOT_SUPPORTED",
		`{"locale":"en","currency":"XXX"}`: "422 BFF.CONSUMER.CURRENCY_NOT_SUPPORTED",
		`{"currency":"usd"}`:               "400 GENERAL.VALIDATION_FAILED",
		`{"locale":"-"}`:                   "400 GENERAL.VALIDATION_FAILED",
		`{"consentTelemetry":"no"}`:        "400 GENERAL.VALIDATION_FAILED",
		`{}`:                               "400 GENERAL.VALIDATION_FAILED",
	} {
		t.Run(body, func(t *testing.T) {
			a := v.Send("PATCH", "/session", body)
			check.Equal(t, strings.TrimSpace(map[int]string{400: "400 ", 422: "422 "}[a.Status]+a.Code()), want, "%s", string(a.Body))
		})
	}
	shown := fntest.Read[readsession.Response](t, v.Must(200, "GET", "/session", nil))
	check.Equal(t, shown.Locale, "ps-AF")
	check.Equal(t, shown.Currency, "AFN")
}

func TestCurrencies_twoDecimals(t *testing.T) {
	t.Parallel()
	for _, code := range []money.Code{"AFN", "IRR", "PKR", "AED", "USD", "EUR", "GBP"} {
		t.Run(string(code), func(t *testing.T) {
			c, err := session.ChooseCurrency(code)
			check.Must(t, err)
			shown, err := money.Amount{Micro: 12_340_000, Currency: c}.Minor()
			check.Must(t, err)
			check.Equal(t, shown.Exponent, 2)
			check.Equal(t, shown.Amount, 1234)
		})
	}
}
