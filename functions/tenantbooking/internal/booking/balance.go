package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A BalanceRequest begins a payment of what is due for a confirmed booking. Due is the amount that the guest was shown. The zero value
// begins no payment.
type BalanceRequest struct {
	Method *hotel.Method
	Due    *money.Minor
}

// Validate rejects cash on arrival, and a request with only one of Method and Due.
func (q BalanceRequest) Validate() error {
	var found []fault.Violation
	refuse := func(pointer, rule, message string, bad bool) {
		if bad {
			found = append(found, fault.Violation{Pointer: pointer, Rule: rule, Message: message})
		}
	}
	refuse("/due", "with", "must be present with method, and only with it", (q.Due == nil) != (q.Method == nil))
	refuse("/method", "known", "must be a method with which the guest pays before arrival", q.Method != nil && *q.Method == hotel.CashOnArrival)
	if q.Due != nil {
		_, err := q.Due.Micro()
		refuse("/due", "form", "must be an amount above 0 in a known currency, with its exponent", err != nil || q.Due.Amount <= 0)
	}
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

// A Balance is what a guest still has to pay for a confirmed booking, and the payment that has begun.
type Balance struct {
	Reservation id.Reservation `json:"reservationId"`
	State       string         `json:"state"`
	Due         *money.Minor   `json:"due,omitzero"`    // nil if nothing is due
	Intent      *Intent        `json:"intent,omitzero"` // nil unless a payment has begun that has no outcome yet
	Pending
	Declines  int    `json:"declines,omitzero"` // declined attempts of the pending payment
	ViewToken string `json:"viewToken"`
}

// Balances collects what is due for confirmed bookings. It has no store: the reservation service knows what is due, and the payment
// service knows the payments.
type Balances struct {
	reservations  Reservations
	payments      Payments
	confirmations Confirmations
	site          Site
}

// OpenBalances returns Balances with its clients.
func OpenBalances(e env.Env) (Balances, error) {
	confirmations, err := OpenConfirmations(e)
	if err != nil {
		return Balances{}, err
	}
	site, err := OpenSite(e)
	return Balances{OpenReservations(e), OpenPayments(e), confirmations, site}, err
}

// A BalanceCall is one call of a guest for a confirmed booking.
type BalanceCall struct {
	session.Visitor
	Access
	Link string // the token of a return URL, or empty: with it a client without access may ask for the result
	Site fn.Site
	Act  id.Request
	Now  time.Time
	BalanceRequest
}

// Pay begins a payment, or only returns the balance if the request names no method or nothing is due. It first settles earlier payments, so
// that a guest seldom pays twice: the guest may have paid in another window, or the event of a capture may be late. What exceeds the amount
// due is refunded. It returns ErrNotFound to a caller without access, and ErrDeclined if the latest payment was declined and the guest has
// to begin another one.
func (b Balances) Pay(ctx context.Context, c BalanceCall) (out Balance, err error) {
	r, err := b.find(ctx, c)
	if err != nil {
		return out, err
	}
	r, payments, err := b.settle(ctx, r, c.Act)
	if err != nil {
		return out, err
	}
	if c.Method == nil || r.acceptsPayments() && !r.hasDue() {
		return b.view(r, payments)
	}
	intent, err := b.begin(ctx, c, r, payments)
	if err != nil {
		return out, err
	}
	if err := b.confirmations.publishIntent(ctx, c.Visitor, r, intent, c.Now); err != nil {
		return out, err
	}
	out, err = b.view(r, nil)
	out.Intent = &intent
	return out, err
}

// find returns the reservation to the session that booked it, or to a client with a token.
func (b Balances) find(ctx context.Context, c BalanceCall) (Reservation, error) {
	read := func(ctx context.Context) (Reservation, error) {
		return b.reservations.GetBooked(ctx, c.Tenant.ID, c.Reservation)
	}
	if c.Method == nil && b.site.isBalanceToken(c.Link, c.Tenant.ID, c.Reservation, c.Now) {
		return read(ctx)
	}
	return b.confirmations.Open(ctx, c.Visitor, c.Access, c.Now, read)
}

// settle records captured payments that the reservation does not list yet, as the event of their capture does, which may come later. It
// returns the reservation and its payments, oldest first. The reservation service refunds captures that exceed the amount due.
func (b Balances) settle(ctx context.Context, r Reservation, act id.Request) (Reservation, []PaymentState, error) {
	all, err := b.payments.Of(ctx, r.Tenant, r.ID)
	if err != nil {
		return r, nil, err
	}
	for _, p := range all {
		if p.kept() <= 0 || r.Payment != nil && slices.Contains(r.Payment.Intents, p.ID) {
			continue
		}
		after, err := b.reservations.collect(ctx, r, p, id.Derive[id.Request](act, "collect/"+p.ID.String()).String())
		if errors.Is(err, ErrIllegalTransition) {
			continue // nothing is due, so it is refunded
		}
		if err != nil {
			return r, nil, err
		}
		r = after
	}
	return r, all, nil
}

// begin begins a payment of the whole amount that is due. It returns ErrIllegalTransition for a booking that has ended, ErrPriceChanged if
// another amount is due than the guest was shown, and ErrIllegalStep if the guest has promised to pay in cash, because another payment
// would replace the promise, or if the bank is processing a payment.
func (b Balances) begin(ctx context.Context, c BalanceCall, r Reservation, all []PaymentState) (Intent, error) {
	due, err := r.due()
	switch {
	case err != nil:
		return Intent{}, err
	case !c.Tenant.Accepts(*c.Method):
		return Intent{}, ErrNoPayment
	case !r.acceptsPayments():
		return Intent{}, ErrIllegalTransition
	case slices.ContainsFunc(all, PaymentState.CashOnArrival):
		return Intent{}, ErrIllegalStep
	case due != *c.Due:
		return Intent{}, ErrPriceChanged.Saying("Another amount is due by now. Check it before you continue.")
	}
	// The URL contains the time. The key derives from it, because a key must not be used again with another URL.
	back := b.site.returnToBooking(c.Visitor, c.Site, r.ID, c.Now)
	key := id.Derive[id.Request](c.Act, "pay/"+back).String()
	return b.payments.open(ctx, intentRequest{Tenant: r.Tenant, Reservation: r.ID, Method: *c.Method, Amount: due, Return: back}, key)
}

// view returns the balance with the latest payment, if that has no outcome yet.
func (b Balances) view(r Reservation, all []PaymentState) (out Balance, err error) {
	out = Balance{Reservation: r.ID, State: r.State}
	if out.ViewToken, err = b.confirmations.Token(r.Tenant, r.ID); err != nil || !r.hasDue() {
		return out, err
	}
	due, err := r.due()
	if err != nil {
		return out, err
	}
	out.Due = &due
	if len(all) == 0 {
		return out, nil
	}
	switch latest := all[len(all)-1]; {
	case latest.underWay():
		out.Pending, out.Declines = Pending{latest.Status, latest.Secret}, latest.Attempts
		intent, err := latest.intent()
		out.Intent = &intent
		return out, err
	case latest.Attempts > 0 && (latest.Status == "requires_payment" || latest.Status == "failed"):
		return out, declinedBalance(out.ViewToken)
	}
	return out, nil
}

// declinedBalance returns ErrDeclined with the view token as an extension member: a guest in another browser needs it to open the booking
// and to pay again.
func declinedBalance(viewToken string) error {
	return ErrDeclined.Showing(map[string]any{"viewToken": viewToken})
}

// acceptsPayments reports whether the reservation service keeps further payments: the reservation is booked, not cancelled and not a no-show.
func (r Reservation) acceptsPayments() bool {
	return slices.Contains([]string{"confirmed", "check_in_started", "checked_in", "checkout_started", "checked_out"}, r.State)
}

// hasDue reports whether an amount is due that the guest can pay.
func (r Reservation) hasDue() bool { return r.acceptsPayments() && r.dueMicro() > 0 }

func (r Reservation) due() (money.Minor, error) {
	return money.Amount{Micro: r.dueMicro(), Currency: r.Totals.Currency}.Minor()
}

// dueMicro returns what the guest can pay: for a change that waits for its payment, or else what is due for the booking.
func (r Reservation) dueMicro() money.Micro {
	if r.Pending != nil {
		return r.Pending.Due
	}
	return r.Balance.Due
}

// collect records a captured payment of a confirmed reservation. It returns ErrIllegalTransition if nothing is due; the payment
// is then refunded. A repeated call with the same key has no further effect.
func (r Reservations) collect(ctx context.Context, b Reservation, p PaymentState, key string) (after Reservation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	out, err := r.client.ConfirmReservation(ctx, b.Tenant, b.ID, key, reservation.ConfirmRequest{Method: p.Method, Intent: &p.ID})
	if err != nil {
		return after, fmt.Errorf("reservations: collect %s for %s: %w", p.ID, b.ID, err)
	}
	if out.ID != b.ID {
		return after, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: collect %s for %s: the answer is for another reservation", p.ID, b.ID))
	}
	return Reservation{out}, nil
}
