package canaries

import (
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/test/system"
)

// clerk works at the desk and for other services: it types into the routes of the reservation service that no browser calls.
func clerk(t *testing.T, s *system.System, a *aviary, w *watch, all map[string]bool) {
	t.Helper()
	const root = "/api/v1/reservations"
	send := func(status int, route string, r system.Request) system.Answer {
		t.Helper()
		route = r.Method + " " + route
		r.Header = map[string]string{"X-Tenant-Id": system.Usual().Hotel.Tenant.String()}
		r.Key = system.Key() + a.letters(route+" header Idempotency-Key")
		typed(a, route, r, all)
		answer := s.Must(status, r)
		w.answer(route, answer)
		return answer
	}
	// A name cannot be told from other words; addresses and numbers can.
	numbers := func(route, member string) string {
		input := route + " json " + member
		return a.email(input) + " " + a.phone(input) + " " + a.card(input)
	}
	quote := func() *system.Booking { return s.Quote(system.Usual()) }
	promo := quote().QuoteRequest("")
	promo.Body.(map[string]any)["promoCode"] = a.everything("POST " + root + "/quotes json promoCode")
	send(http.StatusBadRequest, root+"/quotes", promo)

	b := quote()
	hold := b.HoldRequest("")
	hold.Body = map[string]any{"quoteId": b.QuoteID, "channel": "ota", "partnerId": numbers("POST "+root+"/holds", "partnerId"),
		"createdBy": map[string]any{"type": "staff", "id": numbers("POST "+root+"/holds", "createdBy id")}}
	if err := b.LearnHold(send(http.StatusCreated, root+"/holds", hold)); err != nil {
		t.Fatal(err)
	}
	at := "PUT " + root + "/{id}/guest"
	guest := map[string]any{"firstName": a.name(at + " json firstName"), "lastName": a.name(at + " json lastName"), "email": a.email(at + " json email"),
		"phone": a.phone(at + " json phone"), "locale": "fa-AF", "specialRequests": numbers(at, "specialRequests")}
	send(http.StatusOK, root+"/{id}/guest", system.Request{Method: http.MethodPut, Path: root + "/" + b.ReservationID + "/guest", Body: guest})
	guest["email"] = a.everything(at + " json email")
	send(http.StatusBadRequest, root+"/{id}/guest", system.Request{Method: http.MethodPut, Path: root + "/" + b.ReservationID + "/guest", Body: guest})
	special, wish := root+"/{id}/special-requests", "POST "+root+"/{id}/special-requests"
	send(http.StatusCreated, special, system.Request{Method: http.MethodPost, Path: root + "/" + b.ReservationID + "/special-requests", Body: map[string]any{
		"tags": []string{"other"}, "freeText": numbers(wish, "freeText"), "locale": "en", "source": "ai_parser",
		"aiProvenance": map[string]any{"model": numbers(wish, "aiProvenance model"), "version": numbers(wish, "aiProvenance version"), "confidence": 1}}})
	send(http.StatusOK, root, system.Request{Method: http.MethodGet, Path: root + "?code=" + url.QueryEscape(a.everything("GET "+root+" query code"))})
	reason := map[string]any{"reasonCode": "staff_cancelled", "reason": numbers("POST "+root+"/{id}/cancel", "reason")}
	send(http.StatusOK, root+"/{id}/cancel", system.Request{Method: http.MethodPost, Path: root + "/" + b.ReservationID + "/cancel", Body: reason})
}
