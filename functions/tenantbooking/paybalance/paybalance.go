// Package paybalance lets a guest pay what is due for a confirmed booking.
//
// The service stores nothing about such a payment: the reservation service knows the amount that is due, and the
// payment service lists the intents. Each call first has captured intents confirmed that the reservation does not list
// yet. Without a method the route returns the result of a payment, because backend services of a load balancer are
// scarce. After a decline the problem has the view token, so that a guest in another browser returns to the booking.
package paybalance

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/confirmation/{reservationId}/payment.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-paybalance",
	Route:      "POST " + tenantbooking.Base + "/confirmation/{reservationId}/payment",
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes:  fn.Subjects{subject.IntentCreatedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    5 * time.Second,
}, New, tenantbooking.WithoutSession, tenantbooking.WithViewToken, tenantbooking.WhileSuspended)

// A Request names the reservation. With a method it begins a payment, without one it only asks for the result. A client without the
// session that made the booking needs the view token, or for the result the token of the return URL.
type Request struct {
	Reservation id.Reservation   `path:"reservationId" json:"-"`
	Token       fn.Maybe[string] `query:"t" json:"-"`
	Link        fn.Maybe[string] `query:"r" json:"-"`
	Method      *hotel.Method    `json:"method,omitzero"`
	Due         *money.Minor     `json:"due,omitzero"` // with Method: the amount that the guest was shown
}

func (r Request) payment() booking.BalanceRequest {
	return booking.BalanceRequest{Method: r.Method, Due: r.Due}
}

// Validate returns an error for a payment that cannot begin.
func (r Request) Validate() error { return r.payment().Validate() }

const retryAfter = 2 * time.Second // while a payment is pending: banks take seconds

// A Response is what is still due, and the payment that has begun.
type Response struct {
	fn.Reply `json:"-"`
	booking.Balance
}

type handler struct {
	balances booking.Balances
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	balances, err := booking.OpenBalances(e)
	return (&handler{balances}).pay, err
}

// pay answers 201 if a payment begins, 202 while one is pending, and otherwise 200. At a suspended hotel no payment begins, but one that
// has begun is settled.
func (h *handler) pay(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	if c.In.Method != nil && c.Tenant.Suspended() {
		return out, tenantbooking.ErrSuspended
	}
	out.Balance, err = h.balances.Pay(ctx, booking.BalanceCall{
		Visitor: c.Visitor, Access: booking.Access{Reservation: c.In.Reservation, Token: c.In.Token.Or("")}, Link: c.In.Link.Or(""),
		Site: c.Site, Act: c.Act, Now: c.Now, BalanceRequest: c.In.payment(),
	})
	switch {
	case out.Intent == nil:
		out.Reply = fn.OK.Reply()
	case out.Status != "":
		out.Reply = fn.Accepted.Reply().After(retryAfter)
	default:
		out.Reply = fn.Created.Reply()
	}
	return out, err
}
