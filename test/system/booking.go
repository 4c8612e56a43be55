package system

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
)

// A Wish holds a guest's request: rooms of one type for some nights, starting a number of days from now.
type Wish struct {
	Hotel    demo.Hotel
	Room     int // index into the hotel's rooms
	From     int // days from today
	Nights   int
	Rooms    int
	Currency string
	Saver    bool // the cheaper rate, with a stricter policy
}

// Usual returns a wish that can be booked: a double room in Kabul for two nights next week.
func Usual() Wish { return Wish{Hotel: demo.KabulGrand, From: 7, Nights: 2, Rooms: 1, Currency: "AFN"} }

// A Booking builds the requests of one guest's booking, and holds the ids and amounts from the answers so far.
type Booking struct {
	Tenant, Property string
	QuoteID          string
	ReservationID    string
	Code             string
	Total, Currency  string
	ExpiresAt        time.Time
	IntentID         string

	wish   Wish
	today  time.Time
	system *System // used by Quote, Hold and so on; nil if only requests are built
}

// Guest starts a booking at the current day of the system's clock.
func Guest(w Wish, today time.Time) *Booking {
	return &Booking{Tenant: w.Hotel.Tenant.String(), Property: w.Hotel.Property.String(), wish: w, today: today}
}

// String returns a name for test failures.
func (b *Booking) String() string { return fmt.Sprintf("%s (%s)", b.ReservationID, b.Code) }

// Key returns a new idempotency key.
func Key() string { return rand.Text() }

func (b *Booking) post(path, key string, body any) Request {
	return Request{Method: http.MethodPost, Path: path, Key: key, Body: body, Header: map[string]string{"X-Tenant-Id": b.Tenant}}
}

// QuoteRequest returns the request for a quote.
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

// LearnQuote stores the answer to QuoteRequest.
func (b *Booking) LearnQuote(a Answer) error {
	var quote struct {
		QuoteID string
		Totals  struct{ GrandTotalMicro, Currency string }
	}
	err := json.Unmarshal(a.Body, &quote)
	b.QuoteID, b.Total, b.Currency = quote.QuoteID, quote.Totals.GrandTotalMicro, quote.Totals.Currency
	return err
}

// HoldRequest returns the request to hold the quoted rooms.
func (b *Booking) HoldRequest(key string) Request {
	return b.post("/api/v1/reservations/holds", key, map[string]any{
		"quoteId": b.QuoteID, "channel": "direct", "createdBy": map[string]any{"type": "guest", "id": "gst_01J0000000000000000000GST1"},
	})
}

// LearnHold stores the answer to HoldRequest.
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

// IntentRequest returns the request to the payment service for an intent with that method.
func (b *Booking) IntentRequest(method string) Request {
	return b.post("/sandbox/payment/v1/intents", "", map[string]any{
		"tenantId": b.Tenant, "reservationId": b.ReservationID, "method": method, "amountMicro": b.Total, "currency": b.Currency,
	})
}

// LearnIntent stores the answer to IntentRequest.
func (b *Booking) LearnIntent(a Answer) error {
	var intent struct{ PaymentIntentID string }
	err := json.Unmarshal(a.Body, &intent)
	b.IntentID = intent.PaymentIntentID
	return err
}

// PressRequest returns the form that a button of the checkout page sends: pay or decline.
func (b *Booking) PressRequest(action string) Request {
	return Request{Method: http.MethodPost, Path: "/sandbox/payment/v1/checkout/" + b.IntentID, Body: "action=" + action}
}

// ConfirmRequest returns the request to confirm with the booking's intent.
func (b *Booking) ConfirmRequest(method, key string) Request {
	return b.post("/api/v1/reservations/"+b.ReservationID+"/confirm", key, map[string]any{"method": method, "paymentIntentId": b.IntentID})
}

// ReadRequest returns the request to read the reservation.
func (b *Booking) ReadRequest() Request {
	return Request{Method: http.MethodGet, Path: "/api/v1/reservations/" + b.ReservationID, Header: map[string]string{"X-Tenant-Id": b.Tenant}}
}

// IntentStateRequest returns the request to read the intent from the payment service.
func (b *Booking) IntentStateRequest() Request {
	return Request{Method: http.MethodGet, Path: "/sandbox/payment/v1/intents/" + b.IntentID}
}
