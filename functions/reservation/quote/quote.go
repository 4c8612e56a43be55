// Package quote gets the price of a stay and stores it as a quote.
//
// The event quote.requested is published for every attempt that reaches pricing: in the transaction of the quote, or in
// its own after a rejection. An act that is retried after a 503 publishes it again.
package quote

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /api/v1/reservations/quotes.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-quote",
	Route:      "POST /api/v1/reservations/quotes",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("pricing"), fn.Upstream("property"), fn.Upstream("tenant")},
	Publishes:  fn.Subjects{quotes.RequestedV1, quotes.CreatedV1},
	Idempotent: true,
	Timeout:    2 * time.Second,
}, New)

// A Request describes the stay to price.
type Request = quotes.Ask

// A Response is the quote, with the server's time as the base for its validity.
type Response struct {
	quotes.View
	ServerTime time.Time `json:"serverTime"`
}

type handler struct {
	useCase *quotes.Quoter
}

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&handler{quotes.OpenQuoter(e, platform.Open(e).Sources)}).quote, nil
}

func (h *handler) quote(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	quote, err := h.useCase.Quote(ctx, c.Act, c.Principal, c.In, c.Now)
	if err != nil {
		return out, err
	}
	return Response{quote.View(), quote.AsOf}, nil
}
