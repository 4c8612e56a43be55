package consumer_test

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/shared/money"
)

func TestPreferences_changed(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, changesession.Function, readsession.Function)
	v := site.Traveller() // whose browser reads Pashto
	a := v.Must(200, "PATCH", "/session", `{"locale":"prs","currency":"USD","consentMarketing":true}`)
	const want = `{"localePreference":"fa-AF","currencyPreference":"USD","flags":{"consentTelemetry":true,"consentMarketing":true}}`
	if string(a.Body) != want {
		t.Errorf("got %s, want %s", a.Body, want)
	}
	v.Must(200, "PATCH", "/session", `{"locale":"fa-AF"}`)
	v.Must(200, "PATCH", "/session", `{"consentMarketing":false}`)
	var language struct {
		From    string `json:"previousLocale"`
		To      string `json:"newLocale"`
		Trigger string `json:"trigger"`
	}
	if site.Payload("locale.changed", &language); language.From != "ps-AF" || language.To != "fa-AF" || language.Trigger != "user-explicit" {
		t.Errorf("events: got %+v", language)
	}
	var currency struct {
		From string `json:"previousCurrency"`
		To   string `json:"newCurrency"`
	}
	if site.Payload("currency.changed", &currency); currency.From != "AFN" || currency.To != "USD" {
		t.Errorf("events: got %+v", currency)
	}
	if told := site.Published(); !slices.Equal(told, []string{"session.started", "locale.changed", "currency.changed"}) {
		t.Errorf("events: got %v", told)
	}
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if shown.Locale != "fa-AF" || shown.Currency != "USD" || shown.Consent.Marketing {
		t.Errorf("stored: got %+v", shown)
	}
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
		a := v.Send("PATCH", "/session", body)
		if got := strings.TrimSpace(map[int]string{400: "400 ", 422: "422 "}[a.Status] + a.Code()); got != want {
			t.Errorf("%s: %d %s, want %s", body, a.Status, a.Body, want)
		}
	}
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if shown.Locale != "ps-AF" || shown.Currency != "AFN" {
		t.Errorf("a rejected request was stored in part: %+v", shown)
	}
}

func TestCurrencies_twoDecimals(t *testing.T) {
	t.Parallel()
	for _, code := range []money.Code{"AFN", "IRR", "PKR", "AED", "USD", "EUR", "GBP"} {
		c, err := session.ChooseCurrency(code)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := money.Amount{Micro: 12_340_000, Currency: c}.Minor()
		if err != nil || shown.Exponent != 2 || shown.Amount != 1234 {
			t.Errorf("12.34 %s is shown as %+v, %v", c, shown, err)
		}
	}
}
