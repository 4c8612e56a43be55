package booking

import (
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// An IntentPayment is what one intent contributes to a reservation.
type IntentPayment struct {
	Intent   id.Intent     `json:"paymentIntentId"`
	Method   Method        `json:"method"`
	Status   PaymentStatus `json:"status"`
	Captured money.Micro   `json:"capturedMicro"`
	Refunded money.Micro   `json:"refundedMicro"`       // part of Captured
	Executed []id.Refund   `json:"refundIds,omitzero"`  // the refunds that are part of Refunded
	Returned *time.Time    `json:"refundedAt,omitzero"` // when this service learned of the last of them
}

// A Balance is what a reservation was paid and what is still due.
type Balance struct {
	Captured money.Micro    `json:"capturedMicro"`
	Refunded money.Micro    `json:"refundedMicro"`
	Due      money.Micro    `json:"dueMicro"`
	Currency money.Currency `json:"currency"`
}

// Balance returns the balance. Refunds that were requested but not yet executed are not part of Refunded.
func (r *Reservation) Balance() Balance {
	b := Balance{Due: r.due(), Currency: r.Currency}
	for _, p := range r.Payment.Intents {
		b.Captured += p.Captured
		b.Refunded += p.Refunded
	}
	return b
}

// keptOf returns the captured amount of an intent that is neither refunded nor requested to be.
func (p Payment) keptOf(i IntentPayment) money.Micro {
	kept := i.Captured - i.Refunded
	for _, back := range p.Requested {
		if back.Intent == i.Intent && !slices.Contains(i.Executed, back.ID) {
			kept -= back.Amount
		}
	}
	return kept
}

// kept returns the captured amount that is neither refunded nor requested to be.
func (p Payment) kept() (sum money.Micro) {
	for _, i := range p.Intents {
		sum += p.keptOf(i)
	}
	return sum
}

// priceDue returns what the guest has to pay for the stay, or for what was retained of it, paid or not.
func (r *Reservation) priceDue() money.Micro { return r.Account.Price() }

// due returns the amount that the guest still has to pay. What the hotel gave back on its own is not due again.
func (r *Reservation) due() money.Micro { return max(0, account.Sum(r.Account)-r.Payment.kept()) }

// refunds returns requests for an amount, from the latest payment to the first, at most what each has kept. Their ids derive
// from the reservation's version, so that a repeated attempt asks for the same refunds.
func (r *Reservation) refunds(amount money.Micro, label string) (all []Refund) {
	for _, p := range slices.Backward(r.Payment.Intents) {
		if part := min(amount, r.Payment.keptOf(p)); part > 0 {
			refund := id.Derive[id.Refund](r.ID, label+"/"+strconv.Itoa(r.Version)+"/"+p.Intent.String())
			all = append(all, Refund{ID: refund, Intent: p.Intent, Amount: part})
			amount -= part
		}
	}
	return all
}

// mayHaveCollected reports whether an intent may have captured what it only promised before.
func (r *Reservation) mayHaveCollected(i *id.Intent) bool {
	return i != nil && r.paidByIntent(*i) && r.capturedOf(*i) == 0
}

// capturedOf returns the amount that an intent has captured for the reservation, as far as this service has stored it.
func (r *Reservation) capturedOf(i id.Intent) money.Micro {
	if at := r.Payment.paymentAt(i); at >= 0 {
		return r.Payment.Intents[at].Captured
	}
	return 0
}

// paymentAt returns the index of an intent in Intents, or -1.
func (p Payment) paymentAt(i id.Intent) int {
	return slices.IndexFunc(p.Intents, func(known IntentPayment) bool { return known.Intent == i })
}

// canUse reports whether a booked reservation can use the intent: it promised the money before, or an amount is due.
func (r *Reservation) canUse(i Intent) bool {
	booked := slices.Contains([]State{Confirmed, CheckInStarted, CheckedIn, CheckoutStarted, CheckedOut}, r.State)
	return booked && r.owns(i) && i.Currency == r.Currency && (r.mayHaveCollected(&i.ID) || r.due() > 0 && i.kept() > 0)
}

// Collect adds a captured intent to the payments of a booked reservation.
func (r *Reservation) Collect(i Intent) {
	waived := r.waivedOf(i)
	r.pay(i)
	r.Account = r.Account.Forgive(waived, r.AsOf)
	r.Version++
}

// waivedOf returns the part of the refunds of an intent that is new and that this service has not requested or made.
func (r *Reservation) waivedOf(i Intent) money.Micro {
	var known IntentPayment
	if at := r.Payment.paymentAt(i.ID); at >= 0 {
		known = r.Payment.Intents[at]
	}
	waived := i.Refunded - known.Refunded
	for _, back := range i.Refunds {
		if !slices.Contains(known.Executed, back.ID) && (r.requested(back.ID) || i.made(back.ID)) {
			waived -= back.Amount
		}
	}
	return max(0, waived)
}

// pay adds an intent to the payments, or updates its entry.
func (r *Reservation) pay(i Intent) {
	r.Payment.Intents = slices.Clone(r.Payment.Intents)
	at := r.Payment.paymentAt(i.ID)
	if at < 0 {
		at, r.Payment.Intents = len(r.Payment.Intents), append(r.Payment.Intents, IntentPayment{Intent: i.ID})
	}
	p := &r.Payment.Intents[at]
	p.Method, p.Status, p.Captured = i.Method, i.Status, i.Captured
	p.setRefunds(i, r.AsOf)
	r.summarize(i)
}

// summarize sets the members that describe all payments together. An intent that was refunded completely does not count for
// the method.
func (r *Reservation) summarize(latest Intent) {
	var methods []Method
	r.Payment.Captured, r.Payment.PaymentStatus = 0, PendingCash
	for _, p := range r.Payment.Intents {
		r.Payment.Captured += p.Captured
		if p.Captured > 0 {
			r.Payment.PaymentStatus = Captured
		}
		if p.Captured > p.Refunded {
			methods = append(methods, p.Method)
		}
	}
	switch len(methods) {
	case 0:
		r.Payment.Method = latest.Method
	case 1:
		r.Payment.Method = methods[0]
	default:
		r.Payment.Method = Mixed
	}
	if r.Payment.CaptureEvent == nil {
		r.Payment.CaptureEvent = latest.CaptureEvent
	}
}

// Learn updates the refunded amount of an intent with what the payment service reports. Refunds are never undone, so a late
// answer with less changes nothing. It reports whether the amount has changed.
func (r *Reservation) Learn(i Intent) (changed bool) {
	r.Payment.Intents = slices.Clone(r.Payment.Intents)
	at := r.Payment.paymentAt(i.ID)
	if at < 0 || r.Payment.Intents[at].Captured == 0 || i.Refunded <= r.Payment.Intents[at].Refunded { // Collect stores a promise with its refunds
		return false
	}
	r.Account = r.Account.Forgive(r.waivedOf(i), r.AsOf)
	r.Payment.Intents[at].setRefunds(i, r.AsOf)
	return true
}

// setRefunds stores the refunds of an intent, and the time if there is a new one.
func (p *IntentPayment) setRefunds(i Intent, now time.Time) {
	if i.Refunded > p.Refunded {
		now = event.Time(now)
		p.Returned = &now
	}
	p.Refunded, p.Executed = i.Refunded, i.executed()
}

// refundedAt returns when this service learned of the last refund, or nil.
func (p Payment) refundedAt() (last *time.Time) {
	for _, i := range p.Intents {
		if i.Returned != nil && (last == nil || i.Returned.After(*last)) {
			last = i.Returned
		}
	}
	return last
}

// requested reports whether this service has requested a refund in an event.
func (r *Reservation) requested(refund id.Refund) bool {
	return slices.ContainsFunc(r.Payment.Requested, func(back Refund) bool { return back.ID == refund })
}

// executed returns the ids of the intent's refunds.
func (i Intent) executed() (all []id.Refund) {
	for _, back := range i.Refunds {
		all = append(all, back.ID)
	}
	return all
}
