// Package journeys walks guests through the running system, from the first request to the last event.
package journeys

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

func TestBooking_paidByCard(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card").Pay()
	b.Expect("reservation.held", "reservation.confirmed", "inventory.allocation.committed", "payment.transaction.captured")
	if again := b.Press("pay"); again.Header.Get("Location") == "" {
		t.Error("a second press leads nowhere")
	}
	b.Confirm("card") // the site asks too, after the event has done it
	s.Settle()
	b.Expect("reservation.held", "reservation.confirmed", "inventory.allocation.committed", "payment.transaction.captured")
}

func TestBooking_confirmedBeforeEvent(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("mfs")
	b.Press("pay")
	var view struct {
		State   string
		Payment struct{ Method, Status, CapturedMicro string }
	}
	b.Confirm("mfs").Into(t, &view)
	check.Equal(t, view.State, "confirmed")
	check.Equal(t, view.Payment.Method, "mfs")
	check.Equal(t, view.Payment.Status, "captured")
	check.Equal(t, view.Payment.CapturedMicro, b.Total)
	s.Settle()
	b.Expect("reservation.held", "reservation.confirmed", "inventory.allocation.committed", "payment.transaction.captured")
}

func TestBooking_payInCash(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("cash_on_arrival")
	var view struct {
		State   string
		Payment struct{ Status, CapturedMicro string }
	}
	b.Confirm("cash_on_arrival").Into(t, &view)
	check.Equal(t, view.State, "confirmed")
	check.Equal(t, view.Payment.Status, "pending_cash")
	check.Equal(t, view.Payment.CapturedMicro, "0")
	s.Settle()
	b.Expect("reservation.held", "reservation.confirmed", "inventory.allocation.committed")
}

func TestBooking_declinedThenPaid(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	b.Press("decline")
	a := check.Got(s.Do(t.Context(), b.ConfirmRequest("card", system.Key()))).Must(t, "confirming a declined payment")
	check.Equal(t, a.Status, http.StatusConflict, "confirming a declined payment")
	check.Equal(t, a.Code(), "PAYMENT.NOT_CAPTURED", "confirming a declined payment")
	b.Await("held")
	b.Pay()
	s.Settle()
	b.Expect("reservation.held", "reservation.confirmed", "inventory.allocation.committed", "payment.transaction.captured")
}

func TestBooking_declinedFinally(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	for range 5 {
		b.Press("decline")
	}
	b.Await("cancelled")
	s.Settle()
	b.Expect("reservation.held", "reservation.cancelled", "inventory.allocation.committed", "payment.transaction.failed")
}

func TestHoldExpires(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(last(2)).Intend("card")
	s.Quiet()
	s.Advance(b.ExpiresAt.Sub(s.Env().Now()) + time.Second)
	check.Equal(t, b.State(), "expired_hold", "past its end and before the sweep")
	s.Tick("reservation-expireholds")
	b.Await("expired_hold")
	s.Tick("reservation-expireholds")
	s.Settle()
	b.Expect("reservation.held", "reservation.hold_expired", "inventory.allocation.committed", "inventory.allocation.committed")
	check.Equal(t, s.Book(last(2)).State(), "held", "the next guest")
}

func TestBooking_paidAfterSweep(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	s.Advance(11 * time.Minute)
	s.Tick("reservation-expireholds")
	b.Await("expired_hold")
	b.Pay()
	s.Settle()
	b.Expect("reservation.held", "reservation.hold_expired", "reservation.confirmed",
		"inventory.allocation.committed", "payment.transaction.captured", "inventory.allocation.committed")
}

func TestBooking_capturedAfterExpiryWithRooms(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	s.Advance(11 * time.Minute)
	b.Pay()
	s.Tick("reservation-expireholds")
	s.Settle()
	b.Expect("reservation.held", "reservation.confirmed", "inventory.allocation.committed", "payment.transaction.captured",
		"inventory.allocation.committed")
}

// A first attempt has committed the rooms and was killed before it could save that. Then the hold ends by the clock and by the
// sweep, and another guest wants the same rooms.
func TestPaidInTime_commitNotSaved(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(last(2)).Intend("card")
	s.Quiet()
	b.CommitRooms()
	s.Advance(11 * time.Minute)
	s.Tick("reservation-expireholds")
	b.Await("expired_hold")
	rival := s.Quote(last(2))
	if a, err := s.Do(t.Context(), rival.HoldRequest(system.Key())); err != nil || a.Code() != "RESERVATION.OVERBOOKING_BLOCKED" {
		t.Errorf("the rival got %d %s, %v; want RESERVATION.OVERBOOKING_BLOCKED", a.Status, a.Body, err)
	}
	b.Pay()
	s.Settle()
	b.Expect("reservation.held", "reservation.hold_expired", "reservation.confirmed",
		"inventory.allocation.committed", "inventory.allocation.committed", "payment.transaction.captured")
}

func TestBooking_cancelledWithPenalty(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	w := system.Usual()
	w.From, w.Saver = 2, true // within the week in which the price is kept
	b := s.Book(w).Intend("card").Pay()
	terms := b.Cancel(true)
	if terms.Penalty() <= 0 || terms.Penalty()+terms.Eligible() != b.Price() {
		t.Errorf("a dry run answers penalty %d and refund %d of %d", terms.Penalty(), terms.Eligible(), b.Price())
	}
	if done := b.Cancel(false); done != terms {
		t.Errorf("cancelled with %+v, the dry run answered %+v", done, terms)
	}
	b.Await("cancelled")
	s.Settle()
	if _, refunded := b.Intent(); refunded != terms.Applied.RefundEligibilityMicro {
		t.Errorf("refunded %s, want %s", refunded, terms.Applied.RefundEligibilityMicro)
	}
}

func TestBooking_cancelledAfterRefund(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card").Pay()
	half := b.Price() / 2
	b.Refund(half)
	terms := b.Cancel(false)
	check.Equal(t, terms.Penalty(), 0)
	check.Equal(t, terms.Eligible(), b.Price()-half)
	b.Await("cancelled")
	s.Settle()
	if _, refunded := b.Intent(); refunded != b.Total {
		t.Errorf("refunded %s, want %s", refunded, b.Total)
	}
}

func TestBooking_paidTooMuch(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual())
	price := b.Total
	b.Total = fmt.Sprint(2 * b.Price())
	b.Intend("card").Pay()
	s.Settle()
	if _, refunded := b.Intent(); refunded != price {
		t.Errorf("refunded %s of twice the price, want %s", refunded, price)
	}
}

// last is a wish for every room of the hotel's smallest type.
func last(nights int) system.Wish {
	w := system.Usual()
	w.Room, w.Nights = 2, nights
	w.Rooms = w.Hotel.Rooms[w.Room].Units
	return w
}

func TestBooking_capturedAfterExpiryWithoutRooms(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	late := s.Book(last(2)).Intend("card")
	s.Advance(11 * time.Minute)
	quick := s.Book(last(2)).Intend("cash_on_arrival")
	quick.Confirm("cash_on_arrival")
	late.Press("pay")
	late.Await("cancelled")
	s.Settle()
	if status, refunded := late.Intent(); status != "captured" || refunded != late.Total {
		t.Errorf("the late guest's intent is %s, %s refunded, want all %s", status, refunded, late.Total)
	}
	check.Equal(t, quick.State(), "confirmed", "the quick guest")
	events := strings.Join(s.Subjects(late.ReservationID), " ")
	check.Contains(t, events, "reservation.held reservation.cancelled", "payment.transaction.captured", "payment.transaction.refunded")
}

func TestBooking_lastRoom(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	first := s.Book(last(3))
	second := s.Quote(last(2))
	a := check.Got(s.Do(t.Context(), second.HoldRequest(system.Key()))).Must(t)
	check.MustEqual(t, a.Status, http.StatusConflict)
	check.MustEqual(t, a.Code(), "RESERVATION.OVERBOOKING_BLOCKED")
	s.Quiet()
	check.Equal(t, first.State(), "held", "the first guest")
	s.Settle()
}
