package system

import (
	"net/http"
	"strconv"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Must sends a request and fails the test unless the answer has that status.
func (s *System) Must(status int, r Request) Answer {
	s.t.Helper()
	a := check.Got(s.Do(s.t.Context(), r)).Must(s.t, "%s %s", r.Method, r.Path)
	check.MustEqual(s.t, a.Status, status, "%s %s answered: %s", r.Method, r.Path, a.Body)
	return a
}

func (b *Booking) learn(err error) *Booking {
	b.system.t.Helper()
	check.Must(b.system.t, err)
	return b
}

// Quote requests a quote.
func (s *System) Quote(w Wish) *Booking {
	s.t.Helper()
	b := Guest(w, s.Env().Now())
	b.system = s
	return b.learn(b.LearnQuote(s.Must(http.StatusCreated, b.QuoteRequest(Key()))))
}

// Hold holds the quoted rooms.
func (b *Booking) Hold() *Booking {
	b.system.t.Helper()
	return b.learn(b.LearnHold(b.system.Must(http.StatusCreated, b.HoldRequest(Key()))))
}

// Book calls Quote and Hold.
func (s *System) Book(w Wish) *Booking {
	s.t.Helper()
	return s.Quote(w).Hold()
}

// Intend opens a payment intent with that method.
func (b *Booking) Intend(method string) *Booking {
	b.system.t.Helper()
	return b.learn(b.LearnIntent(b.system.Must(http.StatusCreated, b.IntentRequest(method))))
}

// Press submits a button of the checkout page: pay or decline.
func (b *Booking) Press(action string) Answer {
	b.system.t.Helper()
	return b.system.Must(http.StatusSeeOther, b.PressRequest(action))
}

// Pay pays on the bank's page and waits until the reservation is confirmed.
func (b *Booking) Pay() *Booking {
	b.system.t.Helper()
	b.Press("pay")
	b.Await("confirmed")
	return b
}

// Confirm confirms the reservation with the booking's intent.
func (b *Booking) Confirm(method string) Answer {
	b.system.t.Helper()
	return b.system.Must(http.StatusOK, b.ConfirmRequest(method, Key()))
}

// State returns the state of the reservation.
func (b *Booking) State() string {
	b.system.t.Helper()
	var view struct{ State string }
	b.system.Must(http.StatusOK, b.ReadRequest()).Into(b.system.t, &view)
	return view.State
}

// Intent returns the state of the intent from the payment service.
func (b *Booking) Intent() (status string, refunded string) {
	b.system.t.Helper()
	var intent struct{ Status, RefundedMicro string }
	b.system.Must(http.StatusOK, b.IntentStateRequest()).Into(b.system.t, &intent)
	return intent.Status, intent.RefundedMicro
}

// Await waits until the system is quiet and fails the test unless the reservation then has that state.
func (b *Booking) Await(state string) {
	b.system.t.Helper()
	b.system.Quiet()
	check.MustEqual(b.system.t, b.State(), state, "%s: got state", b)
}

// CommitRooms commits the rooms of the hold at the inventory service, like a confirmation that fails before it saves.
func (b *Booking) CommitRooms() {
	b.system.t.Helper()
	var allocations []any
	for _, e := range b.system.Published(b.system.t.Context()) {
		if e.Subject == "melmastoon.inventory.allocation.committed.v1" && e.Payload["reservationId"] == b.ReservationID {
			allocations = append(allocations, e.Payload["allocationId"])
		}
	}
	b.system.Must(http.StatusOK, b.post("/sandbox/inventory/v1/commits", "", map[string]any{"tenantId": b.Tenant, "allocationIds": allocations}))
}

// Terms holds the amounts of a cancellation.
type Terms struct {
	Applied struct{ PenaltyMicro, RefundEligibilityMicro string } `json:"policyApplied"`
}

// Penalty returns the amount that the hotel keeps, in micros.
func (t Terms) Penalty() int64 { return micros(t.Applied.PenaltyMicro) }

// Eligible returns the amount that is refunded to the guest, in micros.
func (t Terms) Eligible() int64 { return micros(t.Applied.RefundEligibilityMicro) }

// Price returns the booking's total in micros.
func (b *Booking) Price() int64 { return micros(b.Total) }

func micros(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64) // 0 if it is not a number
	return n
}

// Cancel cancels the reservation, or returns the terms of a cancellation.
func (b *Booking) Cancel(dryRun bool) (t Terms) {
	b.system.t.Helper()
	b.system.Must(http.StatusOK, b.post("/api/v1/reservations/"+b.ReservationID+"/cancel", Key(), map[string]any{
		"reasonCode": "guest_cancelled", "dryRun": dryRun})).Into(b.system.t, &t)
	return t
}

// Refund refunds a part of the payment, as hotel staff do.
func (b *Booking) Refund(amount int64) {
	b.system.t.Helper()
	b.system.Must(http.StatusOK, b.post("/sandbox/payment/v1/intents/"+b.IntentID+"/refunds", "", map[string]any{
		"refundId": id.New[id.Refund](), "amountMicro": strconv.FormatInt(amount, 10), "reason": "goodwill"}))
}
