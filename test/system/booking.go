package system

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/sandbox/demo"
)

// A Wish is what a guest wants: rooms of one type for some nights beginning so many days from now.
type Wish struct {
	Hotel    demo.Hotel
	Room     int // index into the hotel's rooms
	From     int // days from today
	Nights   int
	Rooms    int
	Currency string
	Saver    bool // the cheaper rate, with a stricter policy
}

// Usual is a wish that fits: a double room in Kabul for two nights next week.
func Usual() Wish {
	return Wish{Hotel: demo.KabulGrand, From: 7, Nights: 2, Rooms: 1, Currency: "AFN"}
}

// A Booking is one guest's way through the system, as far as it has come: what to ask next, and what the answers said.
type Booking struct {
	Tenant, Property string
	QuoteID          string
	ReservationID    string
	Code             string
	Total, Currency  string
	ExpiresAt        time.Time
	IntentID         string

	wish  Wish
	today time.Time
	stage *System // whose acts Quote, Hold and so on are; nil for a guest who only builds requests
}

// Guest begins a booking at a day of the system's clock.
func Guest(w Wish, today time.Time) *Booking {
	return &Booking{Tenant: w.Hotel.Tenant.String(), Property: w.Hotel.Property.String(), wish: w, today: today}
}

// String names the booking in a failure.
func (b *Booking) String() string { return fmt.Sprintf("%s (%s)", b.ReservationID, b.Code) }

// Key is a fresh idempotency key.
func Key() string { return rand.Text() }

func (b *Booking) post(path, key string, body any) Request {
	return Request{Method: http.MethodPost, Path: path, Key: key, Body: body, Header: map[string]string{"X-Tenant-Id": b.Tenant}}
}

// QuoteRequest asks for a price.
func (b *Booking) QuoteRequest(key string) Request {
	room := b.wish.Hotel.Rooms[b.wish.Room]
	rate := room.Flexible
	if b.wish.Saver {
		rate = room.Saver
	}
	var items []map[string]any
	for range max(b.wish.Rooms, 1) {
		items = append(items, map[string]any{
			"roomTypeId": room.ID.String(), "ratePlanId": rate.ID.String(),
			"occupants": map[string]any{"adults": 2, "children": 0},
		})
	}
	return b.post("/api/v1/reservations/quotes", key, map[string]any{
		"propertyId": b.Property, "items": items, "currency": b.wish.Currency, "locale": "ps-AF",
		"stayWindow": map[string]any{"start": b.day(b.wish.From), "end": b.day(b.wish.From + b.wish.Nights)},
	})
}

func (b *Booking) day(from int) string { return b.today.AddDate(0, 0, from).Format(time.DateOnly) }

// LearnQuote reads the answer to QuoteRequest.
func (b *Booking) LearnQuote(a Answer) error {
	var quote struct {
		QuoteID string
		Totals  struct{ GrandTotalMicro, Currency string }
	}
	err := json.Unmarshal(a.Body, &quote)
	b.QuoteID, b.Total, b.Currency = quote.QuoteID, quote.Totals.GrandTotalMicro, quote.Totals.Currency
	return err
}

// HoldRequest asks for the quoted rooms.
func (b *Booking) HoldRequest(key string) Request {
	return b.post("/api/v1/reservations/holds", key, map[string]any{
		"quoteId": b.QuoteID, "channel": "direct", "createdBy": map[string]any{"type": "guest", "id": "gst_01J0000000000000000000GST1"},
	})
}

// LearnHold reads the answer to HoldRequest.
func (b *Booking) LearnHold(a Answer) error {
	var held struct {
		ReservationID   string
		ReservationCode string
		Hold            struct{ ExpiresAt time.Time }
	}
	err := json.Unmarshal(a.Body, &held)
	b.ReservationID, b.Code, b.ExpiresAt = held.ReservationID, held.ReservationCode, held.Hold.ExpiresAt
	return err
}

// IntentRequest asks the payment service for an intent by that method.
func (b *Booking) IntentRequest(method string) Request {
	return b.post("/sandbox/payment/v1/intents", "", map[string]any{
		"tenantId": b.Tenant, "reservationId": b.ReservationID, "method": method, "amountMicro": b.Total, "currency": b.Currency,
	})
}

// LearnIntent reads the answer to IntentRequest.
func (b *Booking) LearnIntent(a Answer) error {
	var intent struct{ PaymentIntentID string }
	err := json.Unmarshal(a.Body, &intent)
	b.IntentID = intent.PaymentIntentID
	return err
}

// PressRequest is the form that a button of the checkout page sends: pay or decline.
func (b *Booking) PressRequest(action string) Request {
	return Request{Method: http.MethodPost, Path: "/sandbox/payment/v1/checkout/" + b.IntentID, Body: "action=" + action}
}

// ConfirmRequest confirms by the booking's intent.
func (b *Booking) ConfirmRequest(method, key string) Request {
	return b.post("/api/v1/reservations/"+b.ReservationID+"/confirm", key, map[string]any{"method": method, "paymentIntentId": b.IntentID})
}

// ReadRequest reads the reservation.
func (b *Booking) ReadRequest() Request {
	return Request{Method: http.MethodGet, Path: "/api/v1/reservations/" + b.ReservationID, Header: map[string]string{"X-Tenant-Id": b.Tenant}}
}

// IntentStateRequest reads what the payment service says of the intent.
func (b *Booking) IntentStateRequest() Request {
	return Request{Method: http.MethodGet, Path: "/sandbox/payment/v1/intents/" + b.IntentID}
}
