package contracts

import (
	"fmt"
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// frontDesk records what a front desk does on the days of arrival and departure: the stays begin today at the hotel.
func (r *recorder) frontDesk() {
	r.t.Helper()
	const path = "/api/v1/reservations"
	hotel, service := demo.KabulGrand, r.service()
	room := hotel.Rooms[0]
	zone := check.Got(time.LoadLocation(hotel.TimeZone)).Must(r.t)
	if r.system.Env().Now().In(zone).Hour() < 6 {
		r.system.Advance(6 * time.Hour) // guests of today check in when the business date begins
	}
	today := r.system.Env().Now().In(zone)
	stay := members{"start": today.Format(time.DateOnly), "end": today.AddDate(0, 0, 2).Format(time.DateOnly)}
	rooms := r.rooms(service)
	post := func(route, path string, body any) members {
		r.t.Helper()
		return r.call("reservation", route, http.MethodPost, path, body, service...)
	}
	items := []members{{"roomTypeId": room.ID.String(), "ratePlanId": room.Flexible.ID.String(), "occupants": members{"adults": 2, "children": 0}}}
	guest := members{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z.ahmadzai@example.com", "phone": "+93700123456"}
	booked := func() (at string, item, intent any) {
		r.t.Helper()
		quote := post("", path+"/quotes", members{
			"propertyId": hotel.Property.String(), "currency": "AFN", "locale": "ps-AF", "items": items, "stayWindow": stay,
		})
		hold := post("", path+"/holds", members{
			"quoteId": quote["quoteId"], "channel": "direct", "createdBy": members{"type": "guest", "id": "gst_01J00000000000000000000000"},
		})
		at = fmt.Sprint(path, "/", hold["reservationId"])
		r.call("reservation", "", http.MethodPut, at+"/guest", members{
			"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z.ahmadzai@example.com", "phone": "+93700123456", "locale": "ps-AF",
		}, service...)
		confirmed := post("", at+"/confirm", members{"method": "cash_on_arrival"})
		first, _ := hold["items"].([]any)[0].(map[string]any)
		payment, _ := confirmed["payment"].(map[string]any)
		intents, _ := payment["paymentIntentIds"].([]any)
		return at, first["itemId"], intents[0]
	}
	at, item, cash := booked()
	r.call("reservation", "PATCH "+path+"/{id}", http.MethodPatch, at, members{
		"type": "guest_count_change", "itemId": item, "occupants": members{"adults": 1, "children": 0},
	}, service...)
	assigned := members{"rooms": []members{{"itemId": item, "roomId": rooms[0]}}}
	post("POST "+path+"/{id}/check-in", at+"/check-in", assigned) // 202: the key is outstanding
	r.system.Quiet()
	post("POST "+path+"/{id}/check-in", at+"/check-in", assigned) // 200
	r.call("sandbox", "", http.MethodPost, fmt.Sprintf("/sandbox/payment/v1/intents/%s/collect", cash), nil, service...)
	r.system.Quiet()
	post("POST "+path+"/{id}/check-out", at+"/check-out", members{
		"folio": members{"folioId": "fol_01M7W0C5D7A9C1E3G5J7M9P2R4", "finalBalanceMicro": "0", "currency": "AFN", "settled": true},
	})
	post("POST "+path+"/walk-ins", path+"/walk-ins", members{
		"propertyId": hotel.Property.String(), "stayWindow": stay, "currency": "AFN", "locale": "fa-AF", "items": items, "guest": guest,
		"payment": members{"method": "cash_on_arrival"}, "rooms": []members{{"item": 0, "roomId": rooms[1]}},
	})
	missed, _, _ := booked()
	r.call("reservation", "POST "+path+"/{id}/no-show", http.MethodPost, missed+"/no-show", members{"dryRun": true}, r.manager(service)...)
	r.call("sandbox", "POST /sandbox/iam/v1/sessions/{sessionId}/revoke", http.MethodPost, "/sandbox/iam/v1/sessions/tnt_session_01J8KABG000000000000000SSN/revoke",
		members{"tenantId": hotel.Tenant.String(), "reason": "signed-out-everywhere"}, service...)
}

// rooms returns the ids of the hotel's rooms of the first type.
func (r *recorder) rooms(service []string) (ids []any) {
	r.t.Helper()
	hotel := demo.KabulGrand
	out := r.call("sandbox", "", http.MethodGet, "/sandbox/property/v1/properties/"+hotel.Property.String()+"/rooms", nil, service...)
	all, _ := out["rooms"].([]any)
	for _, one := range all {
		if room, _ := one.(map[string]any); room["roomTypeId"] == hotel.Rooms[0].ID.String() {
			ids = append(ids, room["roomId"])
		}
	}
	if len(ids) < 2 {
		r.t.Fatalf("the hotel has the rooms %v, want two of its first type", ids)
	}
	return ids
}

// manager returns the headers with which a manager of the hotel calls.
func (r *recorder) manager(service []string) []string {
	r.t.Helper()
	hotel := demo.KabulGrand
	out := r.call("sandbox", "", http.MethodPost, "/sandbox/iam/v1/staff-tokens", members{
		"tenantId": hotel.Tenant.String(), "propertyIds": []string{hotel.Property.String()}, "roles": []string{"manager"}, "subject": "usr_manager",
	}, service...)
	return []string{"Authorization", fmt.Sprint("Bearer ", out["token"]), "X-Tenant-Id", hotel.Tenant.String()}
}
