package canaries

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// A typist is a guest who types what is personal wherever there is room for it.
type typist struct {
	*system.Visitor
	t      *testing.T
	aviary *aviary
	watch  *watch
	typed  map[string]bool
}

// headers are those in which a browser or a link may carry a person's data.
func (p *typist) headers(route string) map[string]string {
	at := func(name string) string { return route + " header " + name }
	return map[string]string{
		"X-Challenge-Response": p.aviary.letters(at("X-Challenge-Response")),
		"User-Agent":           "Mozilla/5.0 (" + p.aviary.email(at("User-Agent")) + "; " + p.aviary.phone(at("User-Agent")) + ")",
		"Referer":              "https://mail.example/?to=" + p.aviary.email(at("Referer")) + "&card=" + url.QueryEscape(p.aviary.card(at("Referer"))),
		"Accept-Language":      "en, x-" + p.aviary.letters(at("Accept-Language"))[:8] + ";q=0.1, " + p.aviary.email(at("Accept-Language")),
		"X-Campaign-Source":    p.aviary.email(at("X-Campaign-Source")),
		"X-Campaign-Medium":    p.aviary.phone(at("X-Campaign-Medium")),
		"X-Campaign-Name":      p.aviary.card(at("X-Campaign-Name")),
		"X-Currency":           p.aviary.letters(at("X-Currency")),
		"X-Client-Surface":     "web-" + p.aviary.email(at("X-Client-Surface")),
		"If-None-Match":        `"` + p.aviary.letters(at("If-None-Match")) + `"`,
		"From":                 p.aviary.email(at("From")),
		"Sec-Ch-Ua":            p.aviary.email(at("Sec-Ch-Ua")),
		"X-Forwarded-For":      p.aviary.letters(at("X-Forwarded-For")),
		"Via":                  p.aviary.letters(at("Via")),
	}
}

// send types a request to a route and looks at what is answered.
func (p *typist) send(method, route, path string, body any) system.Answer {
	p.t.Helper()
	route = method + " " + route
	r := system.Request{Method: method, Path: path, Body: body, Header: p.headers(route), Key: system.Key() + p.aviary.letters(route+" header Idempotency-Key")}
	typed(p.aviary, route, r, p.typed)
	a, err := p.Go(p.t.Context(), r)
	if err != nil {
		p.t.Fatalf("%s: %v", route, err)
	}
	p.watch.answer(route, a)
	if a.Status/100 == 2 && a.Body != nil {
		_ = json.Unmarshal(a.Body, &p.Visit) // what has no JSON names nothing
	}
	return a
}

// refused is send for what cannot be taken.
func (p *typist) refused(method, route, path string, body any) {
	p.t.Helper()
	if a := p.send(method, route, path, body); a.Status < 400 {
		p.t.Errorf("%s %s was taken: %d %.300s", method, route, a.Status, a.Body)
	}
}

// must is send for what is to be done.
func (p *typist) must(status int, method, route, path string, body any) system.Answer {
	p.t.Helper()
	a := p.send(method, route, path, body)
	if a.Status != status {
		p.t.Fatalf("%s %s answered %d, want %d: %.1000s", method, route, a.Status, status, a.Body)
	}
	return a
}

// text is a canary for an input, to be typed into it.
func (p *typist) text(input string) string { return p.aviary.everything(input) }

const tenantSite = "/bff/tenant-booking/v1/{tenantSlug}"

// guest is the form that says who stays, with a canary in every line.
func (p *typist) guest() map[string]any {
	at := "PATCH " + tenantSite + "/draft/{draftId} json guest "
	return map[string]any{"guest": map[string]any{
		"firstName": p.aviary.name(at + "firstName"), "lastName": p.aviary.name(at + "lastName"), "email": p.aviary.email(at + "email"), "phone": p.aviary.phone(at + "phone"),
		"specialRequests": "My card is " + p.aviary.card(at+"specialRequests") + ", write to " + p.aviary.email(at+"specialRequests"),
	}}
}

// looks around: a guest who types wrong things before anything is booked.
func (p *typist) looks() {
	p.t.Helper()
	p.must(http.StatusOK, "GET", tenantSite+"/bootstrap", "/bootstrap", nil)
	p.refused("GET", tenantSite+"/bootstrap", "/bootstrap?h="+url.QueryEscape(p.text("h")), nil)
	p.refused("POST", tenantSite+"/handoff/consume", "/handoff/consume", map[string]any{"token": p.text("token")})
	p.refused("GET", tenantSite+"/policies", "/policies?locale="+url.QueryEscape(p.text("locale")), nil)
	p.refused("GET", tenantSite+"/properties", "/properties?locale="+url.QueryEscape(p.text("locale")), nil)
	p.refused("GET", tenantSite+"/availability", "/availability?propertyId="+url.QueryEscape(p.text("propertyId"))+"&checkIn="+url.QueryEscape(p.text("checkIn")), nil)
	p.refused("PATCH", tenantSite+"/session", "/session", map[string]any{"locale": p.text("locale"), "currency": p.text("currency")})
}

// books goes as far as the payment, with mistakes on the way.
func (p *typist) books(w system.Wish, method string) {
	p.t.Helper()
	wish := p.Wanting(w)
	wish["promoCode"] = p.aviary.letters("POST " + tenantSite + "/quote json promoCode")
	p.send("POST", tenantSite+"/quote", "/quote", wish) // an unknown code is rejected or ignored
	p.must(http.StatusCreated, "POST", tenantSite+"/quote", "/quote", p.Wanting(w))
	p.must(http.StatusCreated, "POST", tenantSite+"/hold", "/hold", p.Holding())
	wrong := p.guest()
	wrong["guest"].(map[string]any)["phone"] = p.text("phone")
	p.refused("PATCH", tenantSite+"/draft/{draftId}", p.Draft(""), wrong)
	p.must(http.StatusOK, "PATCH", tenantSite+"/draft/{draftId}", p.Draft(""), p.guest())
	p.refused("POST", tenantSite+"/draft/{draftId}/payment-intent", p.Draft("/payment-intent"), map[string]any{"method": p.text("method")})
	p.must(http.StatusCreated, "POST", tenantSite+"/draft/{draftId}/payment-intent", p.Draft("/payment-intent"), map[string]any{"method": method})
}

// pays at the provider's page, after typing a card's number into its address and its form.
func (p *typist) pays() {
	p.t.Helper()
	checkout := "/sandbox/payment/v1/checkout/{intentId}"
	p.refused("POST", checkout, p.RedirectURL, "action="+url.QueryEscape(p.text("action"))+"&cardNumber="+url.QueryEscape(p.aviary.card("a card's number")))
	approval := "/sandbox/payment/v1/authentications"
	p.refused("POST", approval, p.System().Cloud.URL()+approval, "action=pay&clientSecret="+url.QueryEscape(p.text("clientSecret")))
	p.refused("POST", approval, p.System().Cloud.URL()+approval, "clientSecret=none&action="+url.QueryEscape(p.text("action")))
	p.must(http.StatusSeeOther, "POST", checkout, p.RedirectURL+"&name="+url.QueryEscape(p.text("name")), "action=pay&cardNumber="+url.QueryEscape(p.aviary.card("a card's number")))
	p.send("POST", tenantSite+"/draft/{draftId}/return", p.Draft("/return?r="+url.QueryEscape(p.text("r"))), nil)
	p.must(http.StatusOK, "POST", tenantSite+"/draft/{draftId}/return", p.Draft("/return"), nil)
	p.must(http.StatusOK, "GET", tenantSite+"/confirmation/{reservationId}", "/confirmation/"+p.ReservationID, nil)
	p.send("GET", tenantSite+"/confirmation/{reservationId}", "/confirmation/"+p.ReservationID+"?t="+url.QueryEscape(p.text("t")), nil)
	cancel := tenantSite + "/confirmation/{reservationId}/cancel"
	p.refused("POST", cancel, "/confirmation/"+p.ReservationID+"/cancel", map[string]any{"penalty": map[string]any{"amountMinor": 0, "currency": p.text("currency"), "exponent": 2}})
	p.send("POST", cancel, "/confirmation/"+p.ReservationID+"/cancel?t="+url.QueryEscape(p.text("t")), map[string]any{"dryRun": true})
}

// TestCanaries_journeys types a canary into every text input of every route while guests book, leave and come back and the
// desk works, and then looks for it everywhere.
func TestCanaries_journeys(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	a := newAviary()
	w, all := newWatch(a), map[string]bool{}
	begin := func(h demo.Hotel) *typist {
		return &typist{Visitor: s.Browser().At(h), t: t, aviary: a, watch: w, typed: all}
	}
	wish := system.Usual()
	booked := begin(demo.KabulGrand)
	booked.looks()
	booked.books(wish, "card")
	booked.pays()
	left := begin(demo.KabulGrand)
	left.looks()
	left.books(wish, "cash_on_arrival")
	left.must(http.StatusOK, "GET", tenantSite+"/draft/{draftId}", left.Draft(""), nil)
	left.send("POST", tenantSite+"/draft/{draftId}/confirm", left.Draft("/confirm"), nil)
	open := begin(demo.KabulGrand)
	open.looks()
	gone := begin(demo.KabulGrand)
	gone.looks()
	gone.must(http.StatusCreated, "POST", tenantSite+"/quote", "/quote", gone.Wanting(wish))
	gone.send("DELETE", tenantSite+"/draft/{draftId}", gone.Draft(""), nil)
	s.Advance(31 * time.Minute) // the second guest has left; its draft is closed
	s.Tick("tenantbooking-sweepdrafts")
	s.Tick("reservation-expireholds")
	open.books(wish, "card") // the third one is still at it when we look
	traveller(t, s, a, w, all)
	shopper(t, s, a, w, all)
	stroller(t, s, a, w, all)
	clerk(t, s, a, w, all)
	s.Settle()
	story := strings.Join(s.Life(booked.ReservationID).Lines(), "\n")
	w.look("the story of a booking", []byte(story))
	w.tables(t, s)
	w.log(t, s)
	for _, wrong := range w.strays(homes) {
		t.Error(wrong)
	}
	untyped(t, a, all)
	t.Logf("%d canaries typed into %d inputs, seen at %d places", len(a.places)+len(a.digits), len(all), len(w.seen))
}

// untyped fails the test for each text input and each documented header of a route into which no canary was typed.
func untyped(t *testing.T, a *aviary, all map[string]bool) {
	t.Helper()
	var known int
	for _, f := range melmastoon.Functions {
		for _, input := range append(inputs(a, f), headers(t, f)...) {
			known++
			if !all[input] {
				t.Errorf("nobody types into %s", input)
			}
		}
	}
	if known == 0 {
		t.Error("no input found")
	}
}
