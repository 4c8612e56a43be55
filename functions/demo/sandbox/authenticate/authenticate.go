// Package authenticate receives the form with which a guest approves a card payment on the hotel's page (3-D Secure).
package authenticate

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/payment/v1/authentications. The form is on the hotel's site, which has another origin. The client
// secret authorizes it; cookies are not used.
var Function = sandbox.Public(fn.Spec{
	Name:        "sandbox-authenticate",
	Route:       "POST /sandbox/payment/v1/authentications",
	CrossOrigin: true,
	Answer:      fn.SeeOther,
	Uses:        fn.Uses{fn.Postgres},
	Publishes:   fn.Subjects{payment.TransactionCapturedV1, payment.TransactionFailedV1},
	Timeout:     2 * time.Second,
}, New)

// A Choice is a button of the form: pay or decline.
type Choice payment.Action

// UnmarshalText rejects an unknown button.
func (c *Choice) UnmarshalText(text []byte) error {
	*c = Choice(text)
	if a := payment.Action(*c); a != payment.ActionPay && a != payment.ActionDecline {
		return errors.New("not a button of the form")
	}
	return nil
}

// A Request is the submitted form.
type Request struct {
	Secret string `form:"clientSecret"`
	Action Choice `form:"action"`
}

// A Response redirects the guest to the hotel's return page. Without one, or if another method has superseded the intent, it redirects to
// the checkout page, which shows the outcome.
type Response struct {
	fn.Reply `json:"-"`
}

type handler struct {
	intents payment.Intents
	pages   payment.Pages
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	pages, err := payment.OpenPages(e)
	return (&handler{payment.OpenIntents(e), pages}).authenticate, err
}

// authenticate performs the guest's choice. A repeated request has no effect, and a payment that has ended does not change.
func (h *handler) authenticate(ctx context.Context, c fn.Call[Request]) (Response, error) {
	i, err := h.intents.BySecret(ctx, c.In.Secret)
	if err == nil {
		i, err = h.intents.Respond(ctx, i, payment.Action(c.In.Action), c.Header)
	}
	if err != nil {
		return Response{}, err
	}
	if i.ReturnURL == "" || i.Status == payment.Superseded { // its outcome would look like that of its successor
		return Response{fn.SeeOther.At(h.pages.Checkout(i.ID, time.Time{}))}, nil
	}
	return Response{fn.SeeOther.At(i.ReturnURL)}, nil
}
