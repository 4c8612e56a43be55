package journeys

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A stay is a reservation as the front desk reads it.
type stayView struct {
	ReservationID string
	State         string
	Version       int
	Items         []struct{ ItemID string }
	Rooms         []struct{ ItemID, RoomID string }
	KeyIDs        []string `json:"keyCredentialIds"`
	Payment       struct {
		Status    string
		IntentIDs []string `json:"paymentIntentIds"`
	}
	Balance struct{ CapturedMicro, RefundedMicro, DueMicro string }
	Guest   struct{ FirstName string }
}

// A frontDesk is a manager of the hotel in Kabul.
type frontDesk struct {
	t     *testing.T
	s     *system.System
	token string
}

func openDesk(t *testing.T, s *system.System) frontDesk {
	t.Helper()
	var out struct{ Token string }
	s.Must(http.StatusCreated, system.Request{Method: http.MethodPost, Path: "/sandbox/iam/v1/staff-tokens", Body: map[string]any{
		"tenantId": demo.KabulGrand.Tenant, "propertyIds": []any{demo.KabulGrand.Property}, "roles": []string{"manager"}, "subject": "usr_manager",
	}}).Into(t, &out)
	return frontDesk{t, s, out.Token}
}

// do makes a call and returns the reservation in the answer.
func (d frontDesk) do(status int, method, path string, body any) (v stayView) {
	d.t.Helper()
	d.ask(status, method, path, body).Into(d.t, &v)
	return v
}

// ask makes a call.
func (d frontDesk) ask(status int, method, path string, body any) system.Answer {
	d.t.Helper()
	header := map[string]string{"X-Tenant-Id": demo.KabulGrand.Tenant.String()}
	if method != http.MethodGet {
		header["Idempotency-Key"] = system.Key()
	}
	return d.s.Must(status, system.Request{Method: method, Path: "/api/v1/reservations" + path, Token: d.token, Header: header, Body: body})
}

// rooms returns the rooms of a type.
func (d frontDesk) rooms(roomType string) (ids []string) {
	d.t.Helper()
	var out struct {
		Rooms []struct{ RoomID, RoomTypeID string }
	}
	d.s.Must(http.StatusOK, system.Request{
		Method: http.MethodGet, Path: "/sandbox/property/v1/properties/" + demo.KabulGrand.Property.String() + "/rooms",
	}).Into(d.t, &out)
	for _, room := range out.Rooms {
		if room.RoomTypeID == roomType {
			ids = append(ids, room.RoomID)
		}
	}
	return ids
}

// A guest walks in, gets a key, pays, stays longer, moves to another room and leaves early. Every service ends with the same facts.
func TestDesk_walkInToCheckOut(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	desk, hotel := openDesk(t, s), demo.KabulGrand
	room := hotel.Rooms[0]
	rooms := desk.rooms(room.ID.String())
	zone := check.Got(time.LoadLocation(hotel.TimeZone)).Must(t)
	day := func(n int) string { return s.Env().Now().In(zone).AddDate(0, 0, n).Format(time.DateOnly) }

	v := desk.do(http.StatusCreated, http.MethodPost, "/walk-ins", map[string]any{
		"propertyId": hotel.Property, "stayWindow": map[string]any{"start": day(0), "end": day(3)}, "currency": hotel.Currency, "locale": "fa-AF",
		"items":   []any{map[string]any{"roomTypeId": room.ID, "ratePlanId": room.Flexible.ID, "occupants": map[string]any{"adults": 2, "children": 0}}},
		"guest":   map[string]any{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z@example.com", "phone": "+93700123456"},
		"payment": map[string]any{"method": "cash_on_arrival"}, "rooms": []any{map[string]any{"item": 0, "roomId": rooms[0]}},
	})
	s.Settle()
	path := "/" + v.ReservationID
	v = desk.do(http.StatusOK, http.MethodGet, path, nil)
	if v.State != "checked_in" || len(v.KeyIDs) != 1 {
		t.Fatalf("after the walk-in: state %s with keys %v, want checked_in with one", v.State, v.KeyIDs)
	}
	check.Equal(t, v.Guest.FirstName, "Zarghona", "first name that staff see")
	s.Must(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/sandbox/payment/v1/intents/" + v.Payment.IntentIDs[0] + "/collect"})
	s.Settle()
	v = desk.do(http.StatusOK, http.MethodGet, path, nil)
	check.Equal(t, v.Payment.Status, "captured", "after the cash")
	check.Equal(t, v.Balance.DueMicro, "0", "after the cash")

	longer := map[string]any{"stayWindow": map[string]any{"start": day(0), "end": day(5)}}
	v = desk.do(http.StatusOK, http.MethodPost, path+"/dates", longer)
	if v.Balance.DueMicro == "0" {
		t.Error("two more nights cost nothing")
	}
	s.Settle()
	v = desk.do(http.StatusOK, http.MethodPatch, path, map[string]any{"type": "room_change", "itemId": v.Items[0].ItemID, "roomId": rooms[1]})
	check.Equal(t, v.Rooms[0].RoomID, rooms[1], "the guest's room")
	desk.do(http.StatusCreated, http.MethodPost, path+"/special-requests", map[string]any{"tags": []string{"quiet_room"}, "locale": "fa-AF", "source": "guest"})
	s.Settle()

	s.Advance(24 * time.Hour)
	desk = openDesk(t, s) // the shift is over
	desk.do(http.StatusOK, http.MethodPost, path+"/check-out", map[string]any{})
	folio := map[string]any{"folioId": "fol_1", "finalBalanceMicro": "0", "currency": hotel.Currency, "settled": true}
	var unpaid struct{ Code, DueMicro string }
	desk.ask(http.StatusConflict, http.MethodPost, path+"/check-out", map[string]any{"folio": folio}).Into(t, &unpaid)
	if unpaid.Code != "MELMASTOON.RESERVATION.BALANCE_DUE" || unpaid.DueMicro == "0" {
		t.Errorf("a check-out without the price of the longer stay: %+v", unpaid)
	}
	folio["finalBalanceMicro"] = unpaid.DueMicro // a company pays it later
	v = desk.do(http.StatusOK, http.MethodPost, path+"/check-out", map[string]any{"folio": folio})
	check.Equal(t, v.State, "checked_out", "state")
	s.Settle()
	want := []string{"reservation.held", "reservation.confirmed", "reservation.check_in_started", "reservation.checked_in", "reservation.dates_changed",
		"reservation.checkout_started", "reservation.early_checkout", "reservation.checked_out", "reservation.special_request.added"}
	subjects := s.Subjects(v.ReservationID)
	for _, subject := range want {
		if !slices.Contains(subjects, subject) {
			t.Errorf("published %v, want also %s", subjects, subject)
		}
	}
	var keys struct{ Keys []struct{ Status string } }
	s.Must(http.StatusOK, system.Request{
		Method: http.MethodGet, Path: "/sandbox/lock/v1/keys?tenantId=" + hotel.Tenant.String() + "&reservationId=" + v.ReservationID,
	}).Into(t, &keys)
	if len(keys.Keys) == 0 {
		t.Error("the lock service knows no key")
	}
	for _, key := range keys.Keys {
		if key.Status != "revoked" {
			t.Errorf("a key is %s after the check-out, want revoked", key.Status)
		}
	}
}
