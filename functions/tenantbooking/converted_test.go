package tenantbooking_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestConverted_payment compares the payment in the event with the captured one, which may be an earlier one than the last.
func TestConverted_payment(t *testing.T) {
	t.Parallel()
	type guest = tenantbookingtest.Guest
	back := func(g *guest) { g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil) }
	confirm := func(g *guest) { g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil) }
	for _, test := range []struct {
		name             string
		pay              func(*guest)
		captured         int
		method, provider string
	}{
		{"card", func(g *guest) { g.Platform.Pay(g.Pay("card").Intent, false); back(g) }, 20000, "card", "bank"},
		{"card_known_to_reservation", func(g *guest) { g.Platform.Pay(g.Pay("card").Intent, true); back(g) }, 20000, "card", "bank"},
		{"cash", func(g *guest) { g.Pay("cash_on_arrival"); confirm(g) }, 0, "cash_on_arrival", "front-desk"},
		{"card_paid_after_cash_was_promised", func(g *guest) {
			card := g.Pay("card").Intent
			g.Pay("cash_on_arrival").Platform.Pay(card, true)
			back(g)
		}, 20000, "card", "bank"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
			test.pay(g)
			var captured, total int
			var method, provider, initials string
			err := g.DB.Owner(t).QueryRow(t.Context(), `
				SELECT (payload ->> 'totalCapturedMinor')::int, (payload ->> 'totalMinor')::int, payload ->> 'paymentMethod', payload ->> 'paymentProvider',
					coalesce(payload ->> 'guestNameInitialsHash', '')
				FROM bff_tenant_booking.outbox WHERE subject LIKE '%draft.converted%'`).Scan(&captured, &total, &method, &provider, &initials)
			check.Must(t, err)
			check.Equal(t, captured, test.captured, "totalCapturedMinor")
			check.Equal(t, total, 20000, "totalMinor")
			check.Equal(t, method, test.method, "paymentMethod")
			check.Equal(t, provider, test.provider, "paymentProvider")
			check.Equal(t, len(initials), len("sha256:")+64, "length of guestNameInitialsHash")
		})
	}
}

// TestCurrencyChanged_chosen compares with the currency that the session has chosen. X-Currency is no choice.
func TestCurrencyChanged_chosen(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, append(funnel(), changesession.Function)...).Guest(0).RequestQuote()
	g.Must(http.StatusOK, "PATCH", "/session", `{"currency":"USD"}`, "X-Currency", "USD")
	g.Must(http.StatusOK, "PATCH", "/session", `{"currency":"USD"}`, "X-Currency", "AFN")
	g.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`, "X-Currency", "AFN")
	tenantbookingtest.WantEvents(t, g.DB, "currency.changed", 1)
	var from, to, draft string
	err := g.DB.Owner(t).QueryRow(t.Context(), `
		SELECT payload ->> 'from', payload ->> 'to', coalesce(payload ->> 'draftId', '')
		FROM bff_tenant_booking.outbox WHERE subject LIKE '%currency.changed%'`).Scan(&from, &to, &draft)
	check.Must(t, err)
	check.Equal(t, from, "AFN")
	check.Equal(t, to, "USD")
	check.Equal(t, draft, g.Draft.String(), "draftId")
}
