package booking

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Payment holds the payments of a confirmed reservation.
type Payment struct {
	Method        Method          `db:"payment_method"` // Mixed if several intents paid
	PaymentStatus PaymentStatus   `db:"payment_status"`
	Intent        *id.Intent      `db:"payment_intent_id"` // confirmed the reservation
	Captured      money.Micro     `db:"captured_micro"`    // by all intents
	CaptureEvent  *id.Event       `db:"capture_event_id"`
	Intents       []IntentPayment `db:"payments"`        // one entry per intent
	Requested     []Refund        `db:"refund_requests"` // the refunds that this service has requested in its events
	ConfirmedAt   *time.Time
}

// A PaymentStatus is the status of a payment intent.
type PaymentStatus string

// The statuses that confirm a reservation, and those of an intent that may still be captured. The payment service has more.
const (
	Captured        PaymentStatus = "captured"
	PendingCash     PaymentStatus = "pending_cash"
	RequiresPayment PaymentStatus = "requires_payment"
	RequiresAction  PaymentStatus = "requires_action" // of the guest, without a payment page
	Processing      PaymentStatus = "processing"      // by the bank
)

// open reports whether the intent may still be captured.
func (i Intent) open() bool {
	return i.Status == RequiresPayment || i.Status == RequiresAction || i.Status == Processing || i.Status == PendingCash
}

// An Intent is one attempt to pay, as the payment service reports it.
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
	Refunds      []Refund       `json:"refunds"`
}

// CanPay reports whether the intent can still pay for its reservation: it is open, or its captured money is not fully refunded.
func (i Intent) CanPay() bool { return i.open() || i.kept() > 0 }

// kept returns the captured amount that has not been refunded.
func (i Intent) kept() money.Micro { return i.Captured - i.Refunded }

// A Cancellation records why a reservation was cancelled, and the penalty and refunds.
type Cancellation struct {
	Reason  string       `json:"reason"`
	Code    Reason       `json:"reasonCode"`
	At      time.Time    `json:"cancelledAt"`
	Applied Applied      `json:"policyApplied"`
	Refunds []Refund     `json:"paymentRefundsRequested"`
	Actor   access.Actor `json:"actor"`
	Cause   *id.Event    `json:"causationEventId,omitzero"` // the event that caused it
}

// A Reason is a machine-readable reason for a cancellation.
type Reason string

// The reasons.
const (
	GuestCancelled  Reason = "guest_cancelled"
	PaymentFailed   Reason = "payment_failed"
	InventoryFailed Reason = "inventory_failed"
)

// An Applied is the result of applying a policy.
type Applied struct {
	Ref      string         `json:"ref"`
	Eligible money.Micro    `json:"refundEligibilityMicro"`
	Penalty  money.Micro    `json:"penaltyMicro"`
	Currency money.Currency `json:"currency"`
}

// A Refund is an amount of one intent that is to be refunded.
type Refund struct {
	ID     id.Refund   `json:"refundId,omitzero"`
	Intent id.Intent   `json:"paymentIntentId"`
	Amount money.Micro `json:"amountMicro"`
}

// Accepts returns nil if the intent can confirm the reservation in its effective state, or the reason why not.
func (r *Reservation) Accepts(i Intent) error {
	covers := i.Currency == r.Currency && i.kept() >= r.Total
	promises := i.Method == CashOnArrival && i.Currency == r.Currency && i.Amount >= r.Total
	switch state := r.EffectiveState(); {
	case !r.owns(i):
		return errForeign // do not confirm and do not refund
	case !state.leadsTo(Confirmed):
		return ErrIllegalTransition
	case r.over() && i.Captured > 0:
		return ErrOverbooked
	case r.over():
		return ErrHoldExpired
	case i.Status == Captured && covers:
		return nil
	case i.Captured > 0:
		return errTooLittle
	case i.Status == PendingCash && promises: // an expired hold: the rooms were committed in time
		return nil
	case state == ExpiredHold:
		return ErrHoldExpired
	}
	return ErrNotCaptured
}

// over reports whether a reservation that is not confirmed can no longer be: its guest was expected before.
func (r *Reservation) over() bool { return !r.AsOf.Before(r.noShowAt()) }

func (r *Reservation) owns(i Intent) bool { return i.Reservation == r.ID && i.Tenant == r.Tenant }

// PaidBy reports whether that intent has confirmed the reservation; for nil, whether a cash promise has.
func (r *Reservation) PaidBy(i *id.Intent) bool {
	if r.Payment.Intent == nil || r.State == Cancelled {
		return false
	}
	if i == nil {
		return slices.ContainsFunc(r.Payment.Intents, func(p IntentPayment) bool { return p.Method == CashOnArrival })
	}
	return r.paidByIntent(*i)
}

// Confirm confirms the reservation: the intent pays for it, and inventory has committed the hold.
func (r *Reservation) Confirm(i Intent, committed Hold, now time.Time) error {
	if err := r.Accepts(i); err != nil {
		return err
	}
	if err := r.move(r.EffectiveState(), Confirmed); err != nil {
		return err
	}
	now = event.Time(now)
	committed.Outcome = Committed
	r.Hold = committed
	r.Payment = Payment{Intent: &i.ID, ConfirmedAt: &now}
	r.pay(i)
	return nil
}

// maxHoldRetries limits the number of new holds under new ids. Each retry means that the ids before expired in an
// interrupted attempt.
const maxHoldRetries = 3

// retryHold returns a new hold on the same rooms, for a guest whose payment arrived after the first hold expired. The
// ids derive from the intent and the attempt, so concurrent confirmations take the rooms once.
func (r *Reservation) retryHold(i id.Intent, attempt int) Hold {
	return r.wanted(i, "again/"+strconv.Itoa(attempt), stay.MinHold)
}

// CancelUnpaid cancels a hold whose payment failed permanently. It returns ErrIllegalTransition for an expired hold;
// expireholds closes it.
func (r *Reservation) CancelUnpaid(now time.Time) error {
	if r.EffectiveState() != Held {
		return ErrIllegalTransition
	}
	return r.cancel(PaymentFailed, "The payment failed permanently.", saga(), now, nil)
}

// CancelLost cancels a hold whose rooms the inventory service has lost.
func (r *Reservation) CancelLost(now time.Time) error {
	if r.EffectiveState() != Held {
		return ErrIllegalTransition
	}
	return r.cancel(InventoryFailed, "The rooms are no longer available.", saga(), now, nil)
}

// CancelSoldOut cancels a paid reservation whose rooms are sold, or whose stay has begun without the guest. The intent is refunded
// completely.
func (r *Reservation) CancelSoldOut(i Intent, now time.Time) error {
	if !r.owns(i) {
		return errForeign
	}
	var back []Refund
	if i.kept() > 0 {
		back = []Refund{{ID: id.Derive[id.Refund](r.ID, "sold out/"+i.ID.String()), Intent: i.ID, Amount: i.kept()}}
	}
	reason := "The rooms were sold after the hold expired."
	if r.over() {
		reason = "The payment arrived after the guest was expected."
	}
	if err := r.cancel(InventoryFailed, reason, saga(), now, nil, back...); err != nil {
		return err
	}
	r.Cancellation.Cause = i.CaptureEvent
	return nil
}

// Replace cancels a hold because its guest has a new one, also if it has expired: a late payment could confirm it otherwise.
func (r *Reservation) Replace(by access.Actor, now time.Time) error {
	if state := r.EffectiveState(); state != Held && state != ExpiredHold {
		return ErrIllegalTransition
	}
	return r.cancel(GuestCancelled, "Replaced by another hold.", by, now, nil)
}

// cancel moves to Cancelled and records what is retained and the refunds. The event lists the allocations to release.
func (r *Reservation) cancel(code Reason, reason string, by access.Actor, now time.Time, retained []account.Charge, back ...Refund) error {
	outcome := Released
	if r.EffectiveState() == ExpiredHold {
		outcome = Expired // it had expired before, and a hold has one outcome
	}
	if err := r.move(r.EffectiveState(), Cancelled); err != nil {
		return err
	}
	applied := Applied{Ref: r.policyRef(), Currency: r.Currency}
	for _, refund := range back {
		applied.Eligible += refund.Amount
	}
	r.Hold.Outcome = outcome
	if len(r.Rooms()) > 0 {
		r.roomsChange(r.Stay.Start)
	}
	r.revokeKeys(r.itemIDs()...) // the lock service may have issued one before a room was assigned
	r.Cancellation = &Cancellation{Reason: reason, Code: code, At: event.Time(now), Applied: applied, Refunds: back, Actor: by}
	r.post(account.Posting{Cause: account.ByCancellation, At: now}, retained...)
	return nil
}

// paidByIntent reports whether that intent pays or promised to pay for the reservation. It stays true after a cancellation.
func (r *Reservation) paidByIntent(i id.Intent) bool {
	return r.Payment.paymentAt(i) >= 0
}

// RefundableAmount returns the money of an intent that does not pay for a reservation: the captured amount is too
// small, another intent confirmed the reservation, or it can no longer be confirmed. It returns false if a cancellation
// has already requested the refund.
func (r *Reservation) RefundableAmount(i Intent) (Refund, bool) {
	asked := r.Cancellation != nil && slices.ContainsFunc(r.Cancellation.Refunds, func(back Refund) bool { return back.Intent == i.ID })
	if !r.owns(i) || r.capturedOf(i.ID) > 0 || asked || i.kept() <= 0 || r.Accepts(i) == nil {
		return Refund{}, false
	}
	return i.refund(BoughtNothing, i.kept()), true
}

// refund returns a refund of an intent. Its id derives from the intent, the cause and an ordinal, so that concurrent and repeated attempts
// refund the money once, and that a later attempt recognises the refund.
func (i Intent) refund(why Cause, amount money.Micro) Refund {
	return Refund{ID: i.refundID(why, i.refundsFor(why)), Intent: i.ID, Amount: amount}
}

func (i Intent) refundID(why Cause, ordinal int) id.Refund {
	return id.Derive[id.Refund](i.ID, fmt.Sprintf("%s/%d", why, ordinal))
}

// refundsFor returns how many refunds of the intent this service has made for a cause.
func (i Intent) refundsFor(why Cause) (n int) {
	for slices.Contains(i.executed(), i.refundID(why, n)) {
		n++
	}
	return n
}

// made reports whether this service has made the refund, without an event.
func (i Intent) made(refund id.Refund) bool {
	for _, why := range []Cause{BoughtNothing, Surplus} {
		for n := range i.refundsFor(why) {
			if i.refundID(why, n) == refund {
				return true
			}
		}
	}
	return false
}

// refunded returns the intent after a refund.
func (i Intent) refunded(back Refund) Intent {
	i.Refunded += back.Amount
	i.Refunds = append(slices.Clone(i.Refunds), back)
	return i
}

// Surplus returns the money of an intent beyond the amount that is due.
func (r *Reservation) Surplus(i Intent) (Refund, bool) {
	over := i.kept() - r.due()
	return i.refund(Surplus, over), over > 0
}

// OrphanedAllocations returns the allocations that interrupted attempts with this intent may have created. It returns
// nil while the reservation can still be confirmed, because a concurrent attempt may be using them.
func (r *Reservation) OrphanedAllocations(i Intent) (rooms []id.Allocation) {
	if !r.owns(i) || r.paidByIntent(i.ID) || i.Captured == 0 || r.State.leadsTo(Confirmed) {
		return nil
	}
	for attempt := range maxHoldRetries {
		rooms = append(rooms, r.retryHold(i.ID, attempt).Allocations...)
	}
	return rooms
}
