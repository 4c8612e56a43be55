// Package receiveguest receives a guest who returns from the payment page.
package receiveguest

import (
	"cmp"
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /site/{slug}/return/{draftId}.
var Function = storefront.HTTP(fn.Spec{
	Name:     "storefront-receiveguest",
	Route:    "GET /site/{slug}/return/{draftId}",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Upstream("tenantbooking")},
	Answer:   fn.SeeOther,
	Timeout:  8 * time.Second,
}, receive)

// A Request names the draft, or in its place the confirmed booking whose balance the guest paid. It does not contain the result of the
// payment, which is read from the booking service.
type Request struct {
	Paid    storefront.Paid `path:"draftId"`
	Link    string          `query:"r,optional"`
	Token   string          `query:"t,optional"`       // the view token of a confirmed booking
	Problem string          `query:"problem,optional"` // the code of an earlier error
}

// receive is idempotent: the guest may reload the page.
func receive(ctx context.Context, c storefront.Call[Request]) (fn.Page, error) {
	if r := c.In.Paid.Reservation; !r.IsZero() {
		return receivePayer(ctx, c, r)
	}
	draft := c.In.Paid.Draft
	outcome, err := c.Return(ctx, draft, c.In.Link, c.Act.String())
	switch {
	case err == nil && outcome.Confirmed():
		return c.ToBooked(outcome), nil
	case err == nil && outcome.Reservation.IsZero(), err != nil && isElsewhere(ctx, c):
		return c.ReceiveElsewhere(ctx, c.In.back(), outcome, err), nil
	case err != nil:
		return c.ToBooking(draft, err), nil
	}
	return c.ToWaiting(draft), nil
}

// isElsewhere reports whether this browser has access to the draft or booking by the link only.
func isElsewhere(ctx context.Context, c storefront.Call[Request]) bool {
	return c.In.Link != "" && !c.CanOpen(ctx, c.In.Paid)
}

func (r Request) back() storefront.Return {
	return storefront.Return{Paid: r.Paid, Link: r.Link, Problem: r.Problem}
}

// receivePayer redirects a guest who has paid what was due to the confirmation, also after a decline: there the guest can pay again. It
// shows the page that waits while the payment is pending.
func receivePayer(ctx context.Context, c storefront.Call[Request], r id.Reservation) (fn.Page, error) {
	balance, err := c.BalanceResult(ctx, r, c.In.Token, c.In.Link, c.Act.String())
	token := cmp.Or(storefront.ServiceErrorOf(err).ViewToken, c.In.Token)
	switch {
	case err != nil && token == "" && isElsewhere(ctx, c):
		return c.ReceiveElsewhere(ctx, c.In.back(), storefront.Outcome{}, err), nil
	case err != nil:
		return c.ToBookedStay(r, token, "", err), nil
	case balance.Intent != nil:
		if err := c.Enter(ctx); err != nil {
			return c.UnavailablePage(err), nil
		}
		return c.BalanceWaitingPage(r, balance), nil
	case balance.Due == nil:
		return c.ToBookedStay(r, balance.ViewToken, "paid", nil), nil
	}
	return c.ToBookedStay(r, balance.ViewToken, "", nil), nil
}
