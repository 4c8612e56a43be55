// Package pay performs the action that a guest chose on the checkout page or on the phone, or a bank's late answer.
package pay

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/payment/v1/checkout/{intentId}, the form of the checkout page.
var Function = sandbox.Public(fn.Spec{ // anyone with the page's address may pay
	Name:      "sandbox-pay",
	Route:     "POST /sandbox/payment/v1/checkout/{intentId}",
	Answer:    fn.SeeOther,
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{payment.TransactionCapturedV1, payment.TransactionFailedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request is the submitted form.
type Request struct {
	Intent id.Intent      `path:"intentId"`
	Action payment.Action `form:"action"`
}

// A Response redirects the guest to the hotel's site, or to the page, which then shows the outcome.
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
	return (&handler{payment.OpenIntents(e), pages}).act, err
}

func (h *handler) act(ctx context.Context, c fn.Call[Request]) (Response, error) {
	i, err := h.intents.Get(ctx, c.In.Intent)
	if err != nil {
		return Response{}, err
	}
	// It is not an error if the intent can no longer be paid: the next page shows the outcome.
	to := h.pages.Checkout(i.ID, time.Time{})
	switch {
	case c.In.Action == payment.ActionCapture:
		i, err = h.intents.Capture(ctx, i.ID)
	case c.In.Action == payment.ActionRefuse:
		i, err = h.intents.Refuse(ctx, i.ID)
	case i.ClientSecret != "": // approved on the hotel's page only
	default:
		i, err = h.intents.Respond(ctx, i, c.In.Action, c.Header)
		// The phone is not the guest's browser. On the hotel's site, the outcome of a superseded intent would look like that of its successor.
		if i.Method != standin.MFS && i.ReturnURL != "" && i.Status != payment.Superseded {
			to = i.ReturnURL
		}
	}
	if i.Scenario == scenario.PostedReturn && to == i.ReturnURL {
		return Response{fn.TemporaryRedirect.At(to)}, err
	}
	return Response{fn.SeeOther.At(to)}, err
}
