package canaries

import (
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/test/stage"
)

// clerk works at the desk and for other services: it types into the routes of the reservation service that no browser calls.
func clerk(t *testing.T, s *stage.Stage, a *aviary, w *watch, all map[string]bool) {
	t.Helper()
	const root = "/api/v1/reservations"
	send := func(status int, route string, r stage.Request) stage.Answer {
		t.Helper()
		route = r.Method + " " + route
		r.Header = map[string]string{"X-Tenant-Id": stage.Usual().Hotel.Tenant.String()}
		r.Key = stage.Key() + a.letters(route+" header Idempotency-Key")
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
	quote := func() *stage.Booking { return s.Quote(stage.Usual()) }
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
	send(http.StatusOK, root+"/{id}/guest", stage.Request{Method: http.MethodPut, Path: root + "/" + b.ReservationID + "/guest", Body: guest})
	guest["email"] = a.everything(at + " json email")
	send(http.StatusBadRequest, root+"/{id}/guest", stage.Request{Method: http.MethodPut, Path: root + "/" + b.ReservationID + "/guest", Body: guest})
	send(http.StatusOK, root, stage.Request{Method: http.MethodGet, Path: root + "?code=" + url.QueryEscape(a.everything("GET "+root+" query code"))})
	reason := map[string]any{"reasonCode": "staff_cancelled", "reason": numbers("POST "+root+"/{id}/cancel", "reason")}
	send(http.StatusOK, root+"/{id}/cancel", stage.Request{Method: http.MethodPost, Path: root + "/" + b.ReservationID + "/cancel", Body: reason})
}
