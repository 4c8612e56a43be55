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
	site.Payload("locale.changed", &language)
	if language.From != "ps-AF" {
		t.Errorf(`language.From = %q, want "ps-AF"`, language.From)
	}
	if language.To != "fa-AF" {
		t.Errorf(`language.To = %q, want "fa-AF"`, language.To)
	}
	if language.Trigger != "user-explicit" {
		t.Errorf(`language.Trigger = %q, want "user-explicit"`, language.Trigger)
	}
	var currency struct {
		From string `json:"previousCurrency"`
		To   string `json:"newCurrency"`
	}
	site.Payload("currency.changed", &currency)
	if currency.From != "AFN" {
		t.Errorf(`currency.From = %q, want "AFN"`, currency.From)
	}
	if currency.To != "USD" {
		t.Errorf(`currency.To = %q, want "USD"`, currency.To)
	}
	if published := site.Published(); !slices.Equal(published, []string{"session.started", "locale.changed", "currency.changed"}) {
		t.Errorf("events: got %v", published)
	}
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if shown.Locale != "fa-AF" {
		t.Errorf(`shown.Locale = %q, want "fa-AF"`, shown.Locale)
	}
	if shown.Currency != "USD" {
		t.Errorf(`shown.Currency = %q, want "USD"`, shown.Currency)
	}
	if shown.Consent.Marketing {
		t.Error("shown.Consent.Marketing = true, want false")
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
		t.Run(body, func(t *testing.T) {
			a := v.Send("PATCH", "/session", body)
			if got := strings.TrimSpace(map[int]string{400: "400 ", 422: "422 "}[a.Status] + a.Code()); got != want {
				t.Errorf("%d %s, want %s", a.Status, a.Body, want)
			}
		})
	}
	var shown readsession.Response
	v.Must(200, "GET", "/session", nil).Into(t, &shown)
	if shown.Locale != "ps-AF" {
		t.Errorf(`shown.Locale = %q, want "ps-AF"`, shown.Locale)
	}
	if shown.Currency != "AFN" {
		t.Errorf(`shown.Currency = %q, want "AFN"`, shown.Currency)
	}
}

func TestCurrencies_twoDecimals(t *testing.T) {
	t.Parallel()
	for _, code := range []money.Code{"AFN", "IRR", "PKR", "AED", "USD", "EUR", "GBP"} {
		t.Run(string(code), func(t *testing.T) {
			c, err := session.ChooseCurrency(code)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := money.Amount{Micro: 12_340_000, Currency: c}.Minor()
			if err != nil {
				t.Fatal(err)
			}
			if shown.Exponent != 2 {
				t.Errorf("shown.Exponent = %d, want 2", shown.Exponent)
			}
			if shown.Amount != 1234 {
				t.Errorf("shown.Amount = %d, want 1234", shown.Amount)
			}
		})
	}
}
