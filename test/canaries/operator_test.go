package canaries

import (
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// operatorJourney types into the routes of the stand-ins, which other services and operators of the platform call. paid is a paid intent.
func operatorJourney(t *testing.T, s *system.System, a *canarySet, w *scanner, all map[string]bool, paid string) {
	t.Helper()
	const root = "/sandbox"
	// send expects a status, or any below 500 if that is 0.
	send := func(status int, method, route, path string, body any) system.Answer {
		t.Helper()
		route = method + " " + root + route
		r := system.Request{Method: method, Path: root + path, Body: body}
		recordInputs(a, route, r, all)
		answer := check.Got(s.Do(t.Context(), r)).Must(t, "%s", route)
		if answer.Status >= 500 || status != 0 && answer.Status != status {
			t.Errorf("%s answered %d, want %d: %.500s", route, answer.Status, status, answer.Body)
		}
		w.scanRefusal(route, answer)
		return answer
	}
	hotel := demo.HeratGarden
	tenant, tenants := hotel.Tenant.String(), "/tenant/v1/tenants/{tenantId}"
	named := "PATCH " + root + tenants + "/config json "
	send(http.StatusOK, "PATCH", tenants+"/config", "/tenant/v1/tenants/"+tenant+"/config", map[string]any{
		"brandName": a.everything(named + "brandName"), "brandTagline": a.everything(named + "brandTagline")})
	send(0, "GET", "/tenant/v1/tenants/{ref}", "/tenant/v1/tenants/"+url.PathEscape(a.everything("GET "+root+"/tenant/v1/tenants/{ref} path ref")), nil)
	send(0, "GET", "/pricing/v1/cheapest", "/pricing/v1/cheapest?"+url.Values{"promoCode": {a.everything("GET " + root + "/pricing/v1/cheapest query promoCode")},
		"tenantId": {tenant}, "propertyId": {hotel.Property.String()}, "start": {"2027-03-01"}, "end": {"2027-03-03"}, "adults": {"2"}, "rooms": {"1"}, "currency": {"AFN"}}.Encode(), nil)
	send(0, "POST", "/pricing/v1/quotes", "/pricing/v1/quotes", map[string]any{"promoCode": a.everything("POST " + root + "/pricing/v1/quotes json promoCode"),
		"tenantId": tenant, "propertyId": hotel.Property, "stayWindow": map[string]any{"start": "2027-03-01", "end": "2027-03-03"}, "currency": "AFN",
		"items": []any{map[string]any{"roomTypeId": hotel.Rooms[0].ID, "ratePlanId": hotel.Rooms[0].Flexible.ID, "occupants": map[string]any{"adults": 1, "children": 0}}}})
	send(http.StatusOK, "GET", "/search/v1/destinations", "/search/v1/destinations?limit=5&q="+url.QueryEscape(a.name("GET "+root+"/search/v1/destinations query q")), nil)
	for _, path := range []string{"/search/v1/searches", "/search/v1/pins"} {
		at := "POST " + root + path + " json "
		send(0, "POST", path, path, map[string]any{"limit": 5, "page": map[string]any{"limit": 5}, "sortKey": a.everything(at + "sortKey"),
			"geo":   map[string]any{"mode": a.everything(at + "geo mode"), "city": a.everything(at + "geo city"), "region": a.everything(at + "geo region")},
			"dates": map[string]any{"checkIn": "2027-03-01", "checkOut": "2027-03-03"}, "occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1},
			"filters": map[string]any{"amenities": []string{a.everything(at + "filters amenities")}, "propertyType": []string{a.everything(at + "filters propertyType")},
				"neighbourhoods": []string{a.everything(at + "filters neighbourhoods")}, "cancellationFlexibility": a.everything(at + "filters cancellationFlexibility")}})
	}
	theme, tokens := "POST "+root+"/theme/v1/tenants/{tenantId}/theme/publish json tokens ", map[string]any{"cornerRadius": 4}
	for _, name := range []string{"primaryColor", "onPrimaryColor", "accentColor", "backgroundColor", "surfaceColor", "textColor", "fontFamily"} {
		tokens[name] = a.everything(theme + name)
	}
	send(http.StatusBadRequest, "POST", "/theme/v1/tenants/{tenantId}/theme/publish", "/theme/v1/tenants/"+tenant+"/theme/publish", map[string]any{"tokens": tokens})
	intents := "/payment/v1/intents"
	send(http.StatusCreated, "POST", intents, intents, map[string]any{"tenantId": tenant, "reservationId": id.New[id.Reservation]().String(), "method": "card",
		"amountMicro": "1000000", "currency": "AFN", "returnUrl": "https://site.example/?to=" + url.QueryEscape(a.email("POST "+root+intents+" json returnUrl"))})
	send(http.StatusOK, "POST", intents+"/{intentId}/refunds", intents+"/"+paid+"/refunds", map[string]any{"refundId": id.New[id.Refund]().String(), "amountMicro": "1000000",
		"reason": contact(a, "POST "+root+intents+"/{intentId}/refunds json reason")})
	send(http.StatusBadRequest, "POST", "/iam/v1/staff-tokens", "/iam/v1/staff-tokens", map[string]any{"tenantId": tenant, "propertyIds": []any{hotel.Property}, "roles": []string{"manager"},
		"subject": a.everything("POST " + root + "/iam/v1/staff-tokens json subject")})
	send(http.StatusOK, "POST", "/iam/v1/sessions/{sessionId}/revoke", "/iam/v1/sessions/"+id.New[id.TenantSession]().String()+"/revoke",
		map[string]any{"tenantId": id.New[id.Tenant](), "reason": contact(a, "POST "+root+"/iam/v1/sessions/{sessionId}/revoke json reason")})
	send(0, "POST", "/challenge/v1/verifications", "/challenge/v1/verifications", map[string]any{"response": a.everything("POST " + root + "/challenge/v1/verifications json response")})
	var rooms []struct {
		Room string `json:"roomId"`
	}
	listed := "/property/v1/properties/{propertyId}/rooms"
	send(http.StatusOK, "GET", listed, "/property/v1/properties/"+hotel.Property.String()+"/rooms", nil).Into(t, &struct{ Rooms any }{&rooms})
	if len(rooms) == 0 {
		t.Fatalf("%s has no rooms", hotel.Property)
	}
	send(http.StatusOK, "POST", "/property/v1/rooms/{roomId}/out-of-order", "/property/v1/rooms/"+rooms[0].Room+"/out-of-order", map[string]any{
		"from": "2027-03-01", "until": "2027-03-02", "reasonCode": contact(a, "POST "+root+"/property/v1/rooms/{roomId}/out-of-order json reasonCode")})
	send(http.StatusOK, "POST", tenants+"/suspend", "/tenant/v1/tenants/"+tenant+"/suspend", map[string]any{"reason": contact(a, "POST "+root+tenants+"/suspend json reason")})
}

// contact is an address and numbers. Scrubbing cannot know a name from other words.
func contact(a *canarySet, input string) string {
	return a.email(input) + " " + a.phone(input) + " " + a.card(input)
}
