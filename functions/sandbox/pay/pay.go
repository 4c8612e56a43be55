// Package pay performs the action that a guest chose on the checkout page.
package pay

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/payment/v1/checkout/{intentId}, the form of the checkout page.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-pay",
	Route:     "POST /sandbox/payment/v1/checkout/{intentId}",
	Access:    fn.Public, // anyone with the page's address may pay
	Answer:    fn.SeeOther,
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{sandbox.TransactionCapturedV1, sandbox.TransactionFailedV1},
	Timeout:   2 * time.Second,
}, New)

// An Action is a button of the page.
type Action string

// UnmarshalText rejects an unknown button.
func (a *Action) UnmarshalText(text []byte) error {
	*a = Action(text)
	if *a != "pay" && *a != "decline" {
		return errors.New("not a button of the page")
	}
	return nil
}

// A Request is the submitted form.
type Request struct {
	Intent id.Intent `path:"intentId"`
	Action Action    `form:"action"`
}

// A Response redirects the guest to the hotel's site, or to the page, which then shows the outcome.
type Response struct {
	fn.Reply `json:"-"`
}

type payer struct {
	intents sandbox.Intents
	pages   sandbox.Pages
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	pages, err := sandbox.OpenPages(e)
	return (&payer{sandbox.OpenIntents(e), pages}).act, err
}

func (s *payer) act(ctx context.Context, c fn.Call[Request]) (Response, error) {
	act := s.intents.Pay
	if c.In.Action == "decline" || sandbox.Requested(c.Header, sandbox.Declined) {
		act = s.intents.Decline
	}
	// It is not an error if the intent can no longer be paid: the next page shows the outcome.
	i, err := act(ctx, c.In.Intent)
	if err != nil {
		return Response{}, err
	}
	back := i.ReturnURL
	if back == "" {
		back = s.pages.Checkout(i.ID, time.Time{})
	}
	return Response{fn.SeeOther.At(back)}, nil
}
