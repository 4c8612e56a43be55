package roundtrips

import (
	"fmt"
	"net/http"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// frontDesk sends the requests of a front desk: a guest arrives and leaves early, another does not come.
func (k *walk) frontDesk() {
	k.t.Helper()
	w := k.wish()
	w.From, w.Nights = 0, 1 // within one month on every day
	guest := k.Book(w).Intend("cash_on_arrival")
	guest.Confirm("cash_on_arrival")
	rooms := k.roomsFor(guest)
	k.count("reservation-checkin", func() { k.act(http.StatusAccepted, guest, "check-in", "", map[string]any{"rooms": rooms}) })
	k.Quiet() // the key is issued
	k.count("reservation-checkout", func() { k.act(http.StatusOK, guest, "check-out", "", map[string]any{}) })
	k.count("reservation-checkout with a folio", func() {
		k.act(http.StatusOK, guest, "check-out", "", billed(w.Currency))
	})
	missed := k.Book(w).Intend("cash_on_arrival")
	missed.Confirm("cash_on_arrival")
	manager := k.manager()
	k.count("reservation-noshow", func() { k.act(http.StatusOK, missed, "no-show", manager, map[string]any{}) })
	k.Quiet()
	k.walkIn(rooms[0]["roomId"])
	k.modifications()
}

// walkIn books a guest at the desk while the lock is offline, so that the key fails.
func (k *walk) walkIn(room any) {
	k.t.Helper()
	w := k.wish()
	kind := w.Hotel.Rooms[w.Room]
	var arrived system.Booking
	k.count("reservation-walkin", func() {
		a := k.ask(http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/api/v1/reservations/walk-ins", Key: system.Key(),
			Header: map[string]string{"X-Tenant-Id": w.Hotel.Tenant.String(), "X-Sandbox-Scenario": "lock_failed"},
			Body: map[string]any{
				"propertyId": w.Hotel.Property.String(), "currency": w.Currency, "locale": "ps-AF",
				"stayWindow": map[string]any{"start": k.date(0), "end": k.date(1)},
				"items": []any{map[string]any{
					"roomTypeId": kind.ID.String(), "ratePlanId": kind.Flexible.ID.String(), "occupants": map[string]any{"adults": 2, "children": 0}}},
				"guest":   map[string]any{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z@example.com", "phone": "+93700123456"},
				"payment": map[string]any{"method": "cash_on_arrival"},
				"rooms":   []any{map[string]any{"item": 0, "roomId": room}},
			}})
		k.learned(arrived.LearnHold(a))
	})
	k.Quiet()                                                           // the key fails
	k.act(http.StatusOK, &arrived, "check-out", "", billed(w.Currency)) // the room is free for the next walk
	k.Quiet()
}

// billed returns a check-out whose folio carries the whole stay: a company pays it later.
func billed(currency string) map[string]any {
	return map[string]any{"folio": map[string]any{"folioId": "fol_1", "finalBalanceMicro": "1000000000000", "currency": currency, "settled": true}}
}

// modifications changes a booking of later days. Then the assigned room is taken out of order, so that the guest moves.
func (k *walk) modifications() {
	k.t.Helper()
	w := k.wish()
	b := k.Book(w).Intend("cash_on_arrival")
	b.Confirm("cash_on_arrival")
	assigned := k.roomsFor(b)[0]
	room := w.Hotel.Rooms[w.Room]
	modify := func(body map[string]any) func() {
		return func() {
			k.ask(http.StatusOK, system.Request{Method: http.MethodPatch, Path: "/api/v1/reservations/" + b.ReservationID, Key: system.Key(), Body: body})
		}
	}
	stayWindow := map[string]any{"start": k.date(w.From), "end": k.date(w.From + w.Nights + 1)}
	k.count("reservation-changedates", func() { k.act(http.StatusOK, b, "dates", "", map[string]any{"stayWindow": stayWindow}) })
	k.count("reservation-modify", modify(map[string]any{
		"type": "guest_count_change", "itemId": assigned["itemId"], "occupants": map[string]any{"adults": 1, "children": 0}}))
	k.count("reservation-modify to assign a room", modify(map[string]any{"type": "room_change", "itemId": assigned["itemId"], "roomId": assigned["roomId"]}))
	k.count("reservation-modify to add a room", modify(map[string]any{"type": "room_added", "item": map[string]any{
		"roomTypeId": room.ID.String(), "ratePlanId": room.Flexible.ID.String(), "occupants": map[string]any{"adults": 2, "children": 0}}}))
	k.Quiet()
	k.ask(http.StatusOK, system.Request{Method: http.MethodPost, Path: fmt.Sprintf("/sandbox/property/v1/rooms/%s/out-of-order", assigned["roomId"]),
		Body: map[string]any{"from": k.date(w.From), "until": k.date(w.From + 1), "reasonCode": "maintenance"}})
	k.Quiet()
}

// act sends an act of the front desk, as a service or as the owner of a token.
func (k *walk) act(status int, b *system.Booking, name, token string, body any) {
	k.t.Helper()
	k.ask(status, system.Request{Method: http.MethodPost, Path: "/api/v1/reservations/" + b.ReservationID + "/" + name, Key: system.Key(), Token: token, Body: body})
}

// roomsFor assigns a physical room of the right type to the only item of a booking. The guests before have left.
func (k *walk) roomsFor(b *system.Booking) []map[string]any {
	k.t.Helper()
	var booked struct {
		Items []struct{ ItemID, RoomTypeID string }
	}
	k.ask(http.StatusOK, b.ReadRequest()).Into(k.t, &booked)
	var listed struct {
		Rooms []struct{ RoomID, RoomTypeID string }
	}
	k.ask(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/sandbox/property/v1/properties/" + b.Property + "/rooms"}).Into(k.t, &listed)
	for _, room := range listed.Rooms {
		if room.RoomTypeID == booked.Items[0].RoomTypeID {
			return []map[string]any{{"itemId": booked.Items[0].ItemID, "roomId": room.RoomID}}
		}
	}
	k.t.Fatalf("the property has no room of the type %s", booked.Items[0].RoomTypeID)
	return nil
}

// manager returns a token of a manager.
func (k *walk) manager() string {
	k.t.Helper()
	var signed struct{ Token string }
	k.ask(http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/staff-tokens", Body: map[string]any{
		"tenantId": demo.KabulGrand.Tenant.String(), "propertyIds": []string{demo.KabulGrand.Property.String()}, "roles": []string{"manager"}, "subject": "usr_manager",
	}}).Into(k.t, &signed)
	return signed.Token
}
