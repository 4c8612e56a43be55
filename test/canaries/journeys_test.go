package canaries

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A visitor is a guest who types canaries into every text input.
type visitor struct {
	*system.Visitor
	t        *testing.T
	canaries *canarySet
	scanner  *scanner
	typed    map[string]bool
}

// headers are those in which a browser or a link may carry a person's data.
func (p *visitor) headers(route string) map[string]string {
	at := func(name string) string { return route + " header " + name }
	return map[string]string{
		"X-Challenge-Response": p.canaries.letters(at("X-Challenge-Response")),
		"User-Agent":           "Mozilla/5.0 (" + p.canaries.email(at("User-Agent")) + "; " + p.canaries.phone(at("User-Agent")) + ")",
		"Referer":              "https://mail.example/?to=" + p.canaries.email(at("Referer")) + "&card=" + url.QueryEscape(p.canaries.card(at("Referer"))),
		"Accept-Language":      "en, x-" + p.canaries.letters(at("Accept-Language"))[:8] + ";q=0.1, " + p.canaries.email(at("Accept-Language")),
		"X-Campaign-Source":    p.canaries.email(at("X-Campaign-Source")),
		"X-Campaign-Medium":    p.canaries.phone(at("X-Campaign-Medium")),
		"X-Campaign-Name":      p.canaries.card(at("X-Campaign-Name")),
		"X-Currency":           p.canaries.letters(at("X-Currency")),
		"X-Client-Surface":     "web-" + p.canaries.email(at("X-Client-Surface")),
		"If-None-Match":        `"` + p.canaries.letters(at("If-None-Match")) + `"`,
		"From":                 p.canaries.email(at("From")),
		"Sec-Ch-Ua":            p.canaries.email(at("Sec-Ch-Ua")),
		"X-Forwarded-For":      p.canaries.letters(at("X-Forwarded-For")),
		"Tracestate":           "x=" + p.canaries.letters(at("Tracestate")),
		"Baggage":              "user=" + url.QueryEscape(p.canaries.email(at("Baggage"))),
		"Via":                  p.canaries.letters(at("Via")),
	}
}

// send types a request to a route and looks at what is answered.
func (p *visitor) send(method, route, path string, body any) system.Answer {
	p.t.Helper()
	route = method + " " + route
	r := system.Request{Method: method, Path: path, Body: body, Header: p.headers(route), Key: system.Key() + p.canaries.letters(route+" header Idempotency-Key")}
	recordInputs(p.canaries, route, r, p.typed)
	a := check.Got(p.Go(p.t.Context(), r)).Must(p.t, "%s", route)
	p.scanner.scanRefusal(route, a)
	if a.Status/100 == 2 && a.Body != nil {
		_ = json.Unmarshal(a.Body, &p.Visit) // what has no JSON names nothing
	}
	return a
}

// mustReject is like send and fails the test unless the answer is an error.
func (p *visitor) mustReject(method, route, path string, body any) {
	p.t.Helper()
	if a := p.send(method, route, path, body); a.Status < 400 {
		p.t.Errorf("%s %s was taken: %d %.300s", method, route, a.Status, a.Body)
	}
}

// must is like send and fails the test unless the answer has that status.
func (p *visitor) must(status int, method, route, path string, body any) system.Answer {
	p.t.Helper()
	a := p.send(method, route, path, body)
	check.MustEqual(p.t, a.Status, status, "%s %s answered: %.1000s", method, route, a.Body)
	return a
}

// text returns a text with all kinds of canaries for an input.
func (p *visitor) text(input string) string { return p.canaries.everything(input) }

const tenantSite = "/bff/tenant-booking/v1/{tenantSlug}"

// guestDetails returns the body with the guest's details, with a canary in every member.
func (p *visitor) guestDetails() map[string]any {
	at := "PATCH " + tenantSite + "/draft/{draftId} json guest "
	return map[string]any{"guest": map[string]any{
		"firstName": p.canaries.name(at + "firstName"), "lastName": p.canaries.name(at + "lastName"), "email": p.canaries.email(at + "email"), "phone": p.canaries.phone(at + "phone"),
		"specialRequests": "My card is " + p.canaries.card(at+"specialRequests") + ", write to " + p.canaries.email(at+"specialRequests"),
	}}
}

// browse sends rejected input to the routes before a booking.
func (p *visitor) browse() {
	p.t.Helper()
	p.must(http.StatusOK, "GET", tenantSite+"/bootstrap", "/bootstrap", nil)
	p.mustReject("GET", tenantSite+"/bootstrap", "/bootstrap?h="+url.QueryEscape(p.text("h")), nil)
	p.mustReject("POST", tenantSite+"/handoff/consume", "/handoff/consume", map[string]any{"token": p.text("token")})
	p.mustReject("GET", tenantSite+"/policies", "/policies?locale="+url.QueryEscape(p.text("locale")), nil)
	p.mustReject("GET", tenantSite+"/properties", "/properties?locale="+url.QueryEscape(p.text("locale")), nil)
	p.mustReject("GET", tenantSite+"/availability", "/availability?propertyId="+url.QueryEscape(p.text("propertyId"))+"&checkIn="+url.QueryEscape(p.text("checkIn")), nil)
	p.mustReject("PATCH", tenantSite+"/session", "/session", map[string]any{"locale": p.text("locale"), "currency": p.text("currency")})
}

// book books up to the payment, with rejected input in between.
func (p *visitor) book(w system.Wish, method string) {
	p.t.Helper()
	wish := p.QuoteBody(w)
	wish["promoCode"] = p.canaries.letters("POST " + tenantSite + "/quote json promoCode")
	p.send("POST", tenantSite+"/quote", "/quote", wish) // an unknown code is rejected or ignored
	p.must(http.StatusCreated, "POST", tenantSite+"/quote", "/quote", p.QuoteBody(w))
	p.must(http.StatusCreated, "POST", tenantSite+"/hold", "/hold", p.HoldBody())
	wrong := p.guestDetails()
	wrong["guest"].(map[string]any)["phone"] = p.text("phone")
	p.mustReject("PATCH", tenantSite+"/draft/{draftId}", p.Draft(""), wrong)
	p.must(http.StatusOK, "PATCH", tenantSite+"/draft/{draftId}", p.Draft(""), p.guestDetails())
	p.mustReject("POST", tenantSite+"/draft/{draftId}/payment-intent", p.Draft("/payment-intent"), map[string]any{"method": p.text("method")})
	p.must(http.StatusCreated, "POST", tenantSite+"/draft/{draftId}/payment-intent", p.Draft("/payment-intent"), map[string]any{"method": method})
}

// pay pays at the provider's page, after typing a card's number into its address and its form.
func (p *visitor) pay() {
	p.t.Helper()
	checkout := "/sandbox/payment/v1/checkout/{intentId}"
	p.mustReject("POST", checkout, p.RedirectURL, "action="+url.QueryEscape(p.text("action"))+"&cardNumber="+url.QueryEscape(p.canaries.card("a card's number")))
	approval := "/sandbox/payment/v1/authentications"
	p.mustReject("POST", approval, p.System().Cloud.URL()+approval, "action=pay&clientSecret="+url.QueryEscape(p.text("clientSecret")))
	p.mustReject("POST", approval, p.System().Cloud.URL()+approval, "clientSecret=none&action="+url.QueryEscape(p.text("action")))
	p.must(http.StatusSeeOther, "POST", checkout, p.RedirectURL+"&name="+url.QueryEscape(p.text("name")), "action=pay&cardNumber="+url.QueryEscape(p.canaries.card("a card's number")))
	p.send("POST", tenantSite+"/draft/{draftId}/return", p.Draft("/return?r="+url.QueryEscape(p.text("r"))), nil)
	p.must(http.StatusOK, "POST", tenantSite+"/draft/{draftId}/return", p.Draft("/return"), nil)
	p.must(http.StatusOK, "GET", tenantSite+"/confirmation/{reservationId}", "/confirmation/"+p.ReservationID, nil)
	p.send("GET", tenantSite+"/confirmation/{reservationId}", "/confirmation/"+p.ReservationID+"?t="+url.QueryEscape(p.text("t")), nil)
	balance := tenantSite + "/confirmation/{reservationId}/payment"
	p.mustReject("POST", balance, "/confirmation/"+p.ReservationID+"/payment", map[string]any{"method": p.text("method"), "due": map[string]any{"amountMinor": 1, "currency": p.text("currency"), "exponent": 2}})
	p.send("POST", balance, "/confirmation/"+p.ReservationID+"/payment?"+url.Values{"t": {p.text("t")}, "r": {p.text("r")}}.Encode(), map[string]any{})
	p.must(http.StatusOK, "POST", balance, "/confirmation/"+p.ReservationID+"/payment", map[string]any{})
	cancel := tenantSite + "/confirmation/{reservationId}/cancel"
	p.mustReject("POST", cancel, "/confirmation/"+p.ReservationID+"/cancel", map[string]any{"penalty": map[string]any{"amountMinor": 0, "currency": p.text("currency"), "exponent": 2}})
	p.send("POST", cancel, "/confirmation/"+p.ReservationID+"/cancel?t="+url.QueryEscape(p.text("t")), map[string]any{"dryRun": true})
}

// TestCanaries_journeys types a canary into every text input of every route while guests book, leave and come back and the
// desk works, and then looks for it everywhere.
func TestCanaries_journeys(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	a := newCanarySet()
	w, all := newScanner(a), map[string]bool{}
	begin := func(h demo.Hotel) *visitor {
		return &visitor{Visitor: s.Browser().At(h), t: t, canaries: a, scanner: w, typed: all}
	}
	wish := system.Usual()
	booked := begin(demo.KabulGrand)
	booked.browse()
	booked.book(wish, "card")
	booked.pay()
	booked.changes()
	left := begin(demo.KabulGrand)
	left.browse()
	left.book(wish, "cash_on_arrival")
	left.must(http.StatusOK, "GET", tenantSite+"/draft/{draftId}", left.Draft(""), nil)
	left.send("POST", tenantSite+"/draft/{draftId}/confirm", left.Draft("/confirm"), nil)
	open := begin(demo.KabulGrand)
	open.browse()
	gone := begin(demo.KabulGrand)
	gone.browse()
	gone.must(http.StatusCreated, "POST", tenantSite+"/quote", "/quote", gone.QuoteBody(wish))
	gone.send("DELETE", tenantSite+"/draft/{draftId}", gone.Draft(""), nil)
	s.Advance(31 * time.Minute) // the second guest has left; its draft is closed
	s.Tick("tenantbooking-sweepdrafts")
	s.Tick("reservation-expireholds")
	open.book(wish, "card") // the third one is still at it when we look
	consumerJourney(t, s, a, w, all)
	hotelSiteJourney(t, s, a, w, all)
	allHotelsSiteJourney(t, s, a, w, all)
	frontDeskJourney(t, s, a, w, all)
	desk := deskJourney(t, s, a, w, all)
	operatorJourney(t, s, a, w, all, booked.IntentID)
	everyRouteJourney(t, s, a, w, all)
	s.Settle()
	others := newScanner(newCanarySet())
	eventJourney(t, s, others.canaries)
	s.Settle()
	w.also = others.scan
	for _, reservation := range []string{booked.ReservationID, desk} {
		w.scan("the timeline of a booking", []byte(strings.Join(s.BookingTimeline(reservation).Lines(), "\n")))
	}
	w.scanTables(t, s)
	w.scanWarehouse(t, s)
	w.scanLog(t, s)
	for _, wrong := range append(w.unexpected(allowedPlaces), others.unexpected(messagesOfOthers)...) {
		t.Error(wrong)
	}
	checkAllInputsTyped(t, a, all)
	t.Logf("%d canaries typed into %d inputs, seen at %d places", len(a.places)+len(a.digits), len(all), len(w.seen))
}

// checkAllInputsTyped fails the test for each text input, wildcard and documented header of a route into which no canary was typed.
func checkAllInputsTyped(t *testing.T, a *canarySet, all map[string]bool) {
	t.Helper()
	var known int
	for _, f := range melmastoon.Functions {
		for _, input := range slices.Concat(inputs(a, f), headers(t, f), wildcards(f)) {
			known++
			if !all[input] {
				t.Errorf("no canary was typed into %s", input)
			}
		}
	}
	if known == 0 {
		t.Error("no input found")
	}
}

// changes corrects the details of the guest and adds a special request, after changes that are rejected.
func (p *visitor) changes() {
	p.t.Helper()
	route, path := tenantSite+"/confirmation/{reservationId}", "/confirmation/"+p.ReservationID
	at := "PATCH " + route + " json "
	p.mustReject("PATCH", route, path, map[string]any{"stayWindow": map[string]any{"checkIn": p.text(at + "checkIn"), "checkOut": p.text(at + "checkOut")}})
	p.mustReject("PATCH", route, path, map[string]any{"specialRequest": map[string]any{"tags": []string{p.text(at + "tags")}}})
	p.mustReject("PATCH", route, path+"?t="+url.QueryEscape(p.text("t")), map[string]any{"total": map[string]any{"amountMinor": 0, "currency": p.text(at + "currency"), "exponent": 2}})
	p.must(http.StatusOK, "PATCH", route, path, map[string]any{"specialRequest": map[string]any{"tags": []string{"other"},
		"freeText": p.canaries.name(at+"specialRequest freeText") + ", " + p.canaries.email(at+"specialRequest freeText")}})
	wrong := p.guestDetails()
	wrong["guest"].(map[string]any)["email"] = p.text(at + "guest email")
	p.mustReject("PATCH", route, path, wrong)
	p.must(http.StatusOK, "PATCH", route, path, p.guestDetails())
}
