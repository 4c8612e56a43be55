package canaries

import (
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// deskJourney acts as front desk and as other services: it types into the routes of the reservation service that no browser calls. It
// returns the reservation.
func deskJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool) (reservation string) {
	t.Helper()
	const root = "/api/v1/reservations"
	send := func(status int, route string, r system.Request) system.Answer {
		t.Helper()
		route = r.Method + " " + route
		r.Header = map[string]string{"X-Tenant-Id": system.Usual().Hotel.Tenant.String()}
		r.Key = system.Key() + a.letters(route+" header Idempotency-Key")
		recordInputs(a, route, r, all)
		answer := s.Must(status, r)
		w.scanRefusal(route, answer)
		return answer
	}
	numbers := func(route, member string) string { return contact(a, route+" json "+member) }
	quote := func() *system.Booking { return s.Quote(system.Usual()) }
	promo := quote().QuoteRequest("")
	promo.Body.(map[string]any)["promoCode"] = a.everything("POST " + root + "/quotes json promoCode")
	send(http.StatusBadRequest, root+"/quotes", promo)
	promo.Body.(map[string]any)["promoCode"] = a.email("POST " + root + "/quotes json promoCode")
	send(http.StatusBadRequest, root+"/quotes", promo)

	b := quote()
	hold := b.HoldRequest("")
	hold.Body.(map[string]any)["quota"] = map[string]any{"address": a.everything("POST " + root + "/holds json quota address"), "maxRoomNights": 60, "maxAddressRoomNights": 300}
	send(http.StatusBadRequest, root+"/holds", hold)
	hold.Body = map[string]any{"quoteId": b.QuoteID, "channel": "ota", "partnerId": numbers("POST "+root+"/holds", "partnerId"),
		"createdBy": map[string]any{"type": "staff", "id": numbers("POST "+root+"/holds", "createdBy id")}}
	check.Must(t, b.LearnHold(send(http.StatusCreated, root+"/holds", hold)))
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
	out := "POST " + root + "/{id}/check-out"
	send(http.StatusConflict, root+"/{id}/check-out", system.Request{Method: http.MethodPost, Path: root + "/" + b.ReservationID + "/check-out", Body: map[string]any{
		"folio": map[string]any{"folioId": numbers(out, "folio folioId"), "finalBalanceMicro": "0", "currency": "AFN", "settled": true}, "reason": numbers(out, "reason")}})
	change := func(status int, body map[string]any) {
		t.Helper()
		send(status, root+"/{id}", system.Request{Method: http.MethodPatch, Path: root + "/" + b.ReservationID, Body: body})
	}
	patch := "PATCH " + root + "/{id}"
	change(http.StatusBadRequest, map[string]any{"type": a.everything(patch + " json type")})
	change(http.StatusForbidden, map[string]any{"type": "channel_attribution_corrected", "channel": "ota",
		"partnerId": numbers(patch, "partnerId"), "reason": numbers(patch, "reason")})
	change(http.StatusForbidden, map[string]any{"type": "manual_state_override", "state": a.everything(patch + " json state"), "reason": numbers(patch, "reason")})
	desk, hotel := "POST "+root+"/walk-ins json guest ", system.Usual().Hotel
	send(http.StatusBadRequest, root+"/walk-ins", system.Request{Method: http.MethodPost, Path: root + "/walk-ins", Body: map[string]any{
		"propertyId": hotel.Property, "stayWindow": map[string]any{"start": "2026-12-01", "end": "2026-12-02"}, "currency": "AFN", "locale": "fa-AF",
		"items": []any{map[string]any{"roomTypeId": hotel.Rooms[0].ID, "ratePlanId": hotel.Rooms[0].Flexible.ID, "occupants": map[string]any{"adults": 1, "children": 0}}},
		"guest": map[string]any{"firstName": a.name(desk + "firstName"), "lastName": a.name(desk + "lastName"), "email": a.email(desk + "email"),
			"phone": a.phone(desk + "phone"), "specialRequests": numbers("POST "+root+"/walk-ins", "guest specialRequests")},
		"payment": map[string]any{"method": "card"}}})
	send(http.StatusOK, root, system.Request{Method: http.MethodGet, Path: root + "?code=" + url.QueryEscape(a.everything("GET "+root+" query code"))})
	send(http.StatusOK, root, system.Request{Method: http.MethodGet, Path: root + "?propertyId=" + hotel.Property.String() + "&q=" + url.QueryEscape(a.name("GET "+root+" query q"))})
	reason := map[string]any{"reasonCode": "staff_cancelled", "reason": numbers("POST "+root+"/{id}/cancel", "reason")}
	send(http.StatusOK, root+"/{id}/cancel", system.Request{Method: http.MethodPost, Path: root + "/" + b.ReservationID + "/cancel", Body: reason})
	return b.ReservationID
}
