package reservation

import (
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// A Payment is what a confirmed reservation stands on.
type Payment struct {
	Method        Method        `db:"payment_method"`
	PaymentStatus PaymentStatus `db:"payment_status"`
	Intent        *id.Intent    `db:"payment_intent_id"`
	Captured      money.Micro   `db:"captured_micro"`
	Refunded      money.Micro   `db:"-"` // of it, as [Payments.Learn] has found; it is kept by the payment service only
	CaptureEvent  *id.Event     `db:"capture_event_id"`
	ConfirmedAt   *time.Time
}

// A PaymentStatus says whether money has come or is promised.
type PaymentStatus string

// The statuses that confirm a reservation, and the one of an intent that can still be paid. The payment service knows more.
const (
	Captured        PaymentStatus = "captured"
	PendingCash     PaymentStatus = "pending_cash"
	RequiresPayment PaymentStatus = "requires_payment"
)

// An Intent is what the payment service says of one attempt to pay.
type Intent struct {
	ID           id.Intent      `json:"paymentIntentId"`
	Tenant       id.Tenant      `json:"tenantId"`
	Reservation  id.Reservation `json:"reservationId"`
	Method       Method         `json:"method"`
	Status       PaymentStatus  `json:"status"`
	Amount       money.Micro    `json:"amountMicro"`
	Currency     money.Currency `json:"currency"`
	Captured     money.Micro    `json:"capturedMicro"`
	Refunded     money.Micro    `json:"refundedMicro"`
	CaptureEvent *id.Event      `json:"capturedEventId"`
}

// kept is the money of the intent that the hotel has.
func (i Intent) kept() money.Micro { return i.Captured - i.Refunded }

// A Cancellation is why a reservation will not take place, and what follows from it.
type Cancellation struct {
	Reason  string    `json:"reason"`
	Code    Reason    `json:"reasonCode"`
	At      time.Time `json:"cancelledAt"`
	Applied Applied   `json:"policyApplied"`
	Refunds []Refund  `json:"paymentRefundsRequested"`
	Actor   Actor     `json:"actor"`
	Cause   *id.Event `json:"causationEventId,omitzero"` // what this service reacted to
}

// A Reason is why a reservation was cancelled, for programs.
type Reason string

// The reasons given so far.
const (
	GuestCancelled  Reason = "guest_cancelled"
	PaymentFailed   Reason = "payment_failed"
	InventoryFailed Reason = "inventory_failed"
)

// An Applied is what a policy came to.
type Applied struct {
	Ref      string         `json:"ref"`
	Eligible money.Micro    `json:"refundEligibilityMicro"`
	Penalty  money.Micro    `json:"penaltyMicro"`
	Currency money.Currency `json:"currency"`
}

// A Refund is money of one intent that shall go back.
type Refund struct {
	Intent id.Intent   `json:"paymentIntentId"`
	Amount money.Micro `json:"amountMicro"`
}

// Accepts says whether the intent may confirm the reservation where it stands.
func (r *Reservation) Accepts(i Intent) error {
	covers := i.Currency == r.Currency && i.kept() >= r.Total
	promises := i.Method == CashOnArrival && i.Currency == r.Currency && i.Amount >= r.Total
	switch standing := r.EffectiveState(); {
	case !r.owns(i):
		return errForeign // neither confirmed nor given back by this one
	case !standing.leadsTo(Confirmed):
		return ErrIllegalTransition
	case i.Status == Captured && covers:
		return nil
	case i.Captured > 0:
		return errTooLittle
	case i.Status == PendingCash && promises: // after the hold only with rooms that were committed before its end
		return nil
	case standing == ExpiredHold:
		return ErrHoldExpired
	}
	return ErrNotCaptured
}

func (r *Reservation) owns(i Intent) bool { return i.Reservation == r.ID && i.Tenant == r.Tenant }

// PaidBy reports whether the reservation stands on that intent already; without one, on the promise of cash.
func (r *Reservation) PaidBy(i *id.Intent) bool {
	if r.Intent == nil || r.State == Cancelled {
		return false
	}
	if i == nil {
		return r.Method == CashOnArrival
	}
	return *i == *r.Intent
}

// Confirm makes the reservation the guest's for good: the intent pays for it, and inventory has committed the hold.
func (r *Reservation) Confirm(i Intent, committed Hold, now time.Time) error {
	if err := r.Accepts(i); err != nil {
		return err
	}
	if err := r.move(r.EffectiveState(), Confirmed); err != nil {
		return err
	}
	now = at(now)
	committed.Outcome = Committed
	r.Hold = committed
	r.Payment = Payment{Method: i.Method, PaymentStatus: i.Status, Intent: &i.ID, Captured: i.Captured, CaptureEvent: i.CaptureEvent, ConfirmedAt: &now}
	return nil
}

// maxHoldRetries is how often rooms are asked for under new ids. Each time, the ids before have lapsed in an attempt cut off.
const maxHoldRetries = 3

// retryHold is a new hold on the same rooms for a guest who has paid when the first was over. The same attempt by the same
// intent has the same ids, whoever makes it, so that two of them take the rooms once.
func (r *Reservation) retryHold(i id.Intent, attempt int) Hold {
	return r.wanted(i, "again/"+strconv.Itoa(attempt), minHold)
}

// CancelUnpaid gives up a hold that will not be paid for. A hold that is over is none any more: the sweep tells of it.
func (r *Reservation) CancelUnpaid(now time.Time) error {
	if r.EffectiveState() != Held {
		return ErrIllegalTransition
	}
	return r.cancel(PaymentFailed, "The payment failed permanently.", saga(), now)
}

// CancelLost gives up a hold whose rooms the inventory service has lost.
func (r *Reservation) CancelLost(now time.Time) error {
	if r.EffectiveState() != Held {
		return ErrIllegalTransition
	}
	return r.cancel(InventoryFailed, "The rooms are no longer available.", saga(), now)
}

// CancelSoldOut ends a reservation that was paid for when its rooms were gone. Everything the intent has brought goes back.
func (r *Reservation) CancelSoldOut(i Intent, now time.Time) error {
	if !r.owns(i) {
		return errForeign
	}
	var back []Refund
	if i.kept() > 0 {
		back = []Refund{{i.ID, i.kept()}}
	}
	if err := r.cancel(InventoryFailed, "The rooms were sold after the hold expired.", saga(), now, back...); err != nil {
		return err
	}
	r.Cancellation.Cause = i.CaptureEvent
	return nil
}

// Replace gives up a hold because its guest has another one now.
func (r *Reservation) Replace(by Actor, now time.Time) error {
	if r.EffectiveState() != Held {
		return ErrIllegalTransition
	}
	return r.cancel(GuestCancelled, "Replaced by another hold.", by, now)
}

// cancel gives back what was paid, and the rooms, which the event names.
func (r *Reservation) cancel(code Reason, reason string, by Actor, now time.Time, back ...Refund) error {
	outcome := Released
	if r.EffectiveState() == ExpiredHold {
		outcome = Expired // which it was before, and a hold has one outcome
	}
	if err := r.move(r.EffectiveState(), Cancelled); err != nil {
		return err
	}
	applied := Applied{Ref: r.policyRef(), Currency: r.Currency}
	for _, refund := range back {
		applied.Eligible += refund.Amount
	}
	r.Hold.Outcome = outcome
	r.Cancellation = &Cancellation{Reason: reason, Code: code, At: at(now), Applied: applied, Refunds: back, Actor: by}
	return nil
}

// standsOn reports whether the reservation is, or was before it was cancelled, paid for by that intent.
func (r *Reservation) standsOn(i Intent) bool { return r.Intent != nil && *r.Intent == i.ID }

// RefundableAmount is the money of an intent that bought nothing: too little of it came, or the reservation stands on another
// intent, or on none and never will. What a cancellation has asked to be given back is not given back twice.
func (r *Reservation) RefundableAmount(i Intent) (Refund, bool) {
	asked := r.Cancellation != nil && slices.ContainsFunc(r.Cancellation.Refunds, func(back Refund) bool { return back.Intent == i.ID })
	if !r.owns(i) || r.standsOn(i) || asked || i.kept() <= 0 || r.Accepts(i) == nil {
		return Refund{}, false
	}
	return Refund{i.ID, i.kept()}, true
}

// Surplus is the money of a confirming intent beyond the price of the stay.
func (r *Reservation) Surplus(i Intent) (Refund, bool) {
	return Refund{i.ID, i.kept() - r.Total}, i.kept() > r.Total
}

// OrphanedAllocations are the rooms that an attempt with this intent may have taken anew when it cannot confirm the reservation any
// more. While it still can, another attempt may just be succeeding with them.
func (r *Reservation) OrphanedAllocations(i Intent) (rooms []id.Allocation) {
	if !r.owns(i) || r.standsOn(i) || i.Captured == 0 || r.State.leadsTo(Confirmed) {
		return nil
	}
	for attempt := range maxHoldRetries {
		rooms = append(rooms, r.retryHold(i.ID, attempt).Allocations...)
	}
	return rooms
}
