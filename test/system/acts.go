package system

import (
	"net/http"
	"strconv"

	"melmastoon.ghasi.io/shared/id"
)

// Must sends a request and fails the test unless the answer has this status.
func (s *System) Must(status int, r Request) Answer {
	s.t.Helper()
	a, err := s.Do(s.t.Context(), r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	if a.Status != status {
		s.t.Fatalf("%s %s answered %d, want %d: %s", r.Method, r.Path, a.Status, status, a.Body)
	}
	return a
}

func (b *Booking) learn(err error) *Booking {
	b.stage.t.Helper()
	if err != nil {
		b.stage.t.Fatal(err)
	}
	return b
}

// Quote asks for a price.
func (s *System) Quote(w Wish) *Booking {
	s.t.Helper()
	b := Guest(w, s.Env().Now())
	b.stage = s
	return b.learn(b.LearnQuote(s.Must(http.StatusCreated, b.QuoteRequest(Key()))))
}

// Hold keeps the quoted rooms.
func (b *Booking) Hold() *Booking {
	b.stage.t.Helper()
	return b.learn(b.LearnHold(b.stage.Must(http.StatusCreated, b.HoldRequest(Key()))))
}

// Book is Quote and Hold.
func (s *System) Book(w Wish) *Booking {
	s.t.Helper()
	return s.Quote(w).Hold()
}

// Intend opens an intent by that method.
func (b *Booking) Intend(method string) *Booking {
	b.stage.t.Helper()
	return b.learn(b.LearnIntent(b.stage.Must(http.StatusCreated, b.IntentRequest(method))))
}

// Press presses a button of the checkout page: pay or decline.
func (b *Booking) Press(action string) Answer {
	b.stage.t.Helper()
	return b.stage.Must(http.StatusSeeOther, b.PressRequest(action))
}

// Pay pays on the bank's page and awaits the confirmed reservation.
func (b *Booking) Pay() *Booking {
	b.stage.t.Helper()
	b.Press("pay")
	b.Await("confirmed")
	return b
}

// Confirm confirms by the booking's intent.
func (b *Booking) Confirm(method string) Answer {
	b.stage.t.Helper()
	return b.stage.Must(http.StatusOK, b.ConfirmRequest(method, Key()))
}

// State reads where the reservation stands.
func (b *Booking) State() string {
	b.stage.t.Helper()
	var view struct{ State string }
	b.stage.Must(http.StatusOK, b.ReadRequest()).Into(b.stage.t, &view)
	return view.State
}

// Intent reads what the payment service says of the intent.
func (b *Booking) Intent() (status string, refunded string) {
	b.stage.t.Helper()
	var intent struct{ Status, RefundedMicro string }
	b.stage.Must(http.StatusOK, b.IntentStateRequest()).Into(b.stage.t, &intent)
	return intent.Status, intent.RefundedMicro
}

// Await waits until the system is quiet and fails the test unless the reservation then stands there.
func (b *Booking) Await(state string) {
	b.stage.t.Helper()
	b.stage.Quiet()
	if got := b.State(); got != state {
		b.stage.t.Fatalf("%s is %s, want %s", b, got, state)
	}
}

// CommitRooms commits the rooms of the hold at the inventory service, as an attempt does that fails before it saves.
func (b *Booking) CommitRooms() {
	b.stage.t.Helper()
	var allocations []any
	for _, e := range b.stage.Told(b.stage.t.Context()) {
		if e.Subject == "melmastoon.inventory.allocation.committed.v1" && e.Payload["reservationId"] == b.ReservationID {
			allocations = append(allocations, e.Payload["allocationId"])
		}
	}
	b.stage.Must(http.StatusOK, b.post("/sandbox/inventory/v1/commits", "", map[string]any{"tenantId": b.Tenant, "allocationIds": allocations}))
}

// Terms are what a cancellation comes to.
type Terms struct {
	Applied struct{ PenaltyMicro, RefundEligibilityMicro string } `json:"policyApplied"`
}

// Penalty is what the hotel keeps, in micros.
func (t Terms) Penalty() int64 { return micros(t.Applied.PenaltyMicro) }

// Eligible is what the guest gets back, in micros.
func (t Terms) Eligible() int64 { return micros(t.Applied.RefundEligibilityMicro) }

// Price is the booking's total in micros.
func (b *Booking) Price() int64 { return micros(b.Total) }

func micros(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64) // no number is no money
	return n
}

// Cancel cancels as the guest wishes, or asks what that would come to.
func (b *Booking) Cancel(dryRun bool) (t Terms) {
	b.stage.t.Helper()
	b.stage.Must(http.StatusOK, b.post("/api/v1/reservations/"+b.ReservationID+"/cancel", Key(), map[string]any{
		"reasonCode": "guest_cancelled", "dryRun": dryRun})).Into(b.stage.t, &t)
	return t
}

// Refund gives a part of the booking's money back, as a hotel does by hand.
func (b *Booking) Refund(amount int64) {
	b.stage.t.Helper()
	b.stage.Must(http.StatusOK, b.post("/sandbox/payment/v1/intents/"+b.IntentID+"/refunds", "", map[string]any{
		"refundId": id.New[id.Refund](), "amountMicro": strconv.FormatInt(amount, 10), "reason": "goodwill"}))
}
