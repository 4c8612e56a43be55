// Package previewprices returns the lowest price of a stay in each of several hotels.
package previewprices

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /sandbox/pricing/v1/previews.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-previewprices",
	Route:   "POST /sandbox/pricing/v1/previews",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxHotels = 150 // in one request: a wishlist and the recently viewed hotels

// A Request is a party, a stay and the hotels.
type Request struct {
	Properties []id.Property     `json:"propertyIds"`
	Stay       stay.Window       `json:"stayWindow"`
	Occupancy  search.Travellers `json:"occupancy"`
	Currency   money.Currency    `json:"currency"`
}

// Validate rejects an impossible stay or party, an empty list and one that is too long.
func (r *Request) Validate() error {
	if len(r.Properties) == 0 || len(r.Properties) > maxHotels {
		return standin.Refuse("/propertyIds", "count", "Name 1 to 150 hotels.")
	}
	if err := r.Stay.Validate(); err != nil {
		return standin.Refuse("/stayWindow", "stay", err.Error())
	}
	return r.Occupancy.Validate()
}

// A Response is a preview for each hotel where the party can stay, in the order of the request.
type Response struct {
	Previews []pricing.Preview `json:"previews"`
}

type handler struct {
	tariffs pricing.Tariffs
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{pricing.OpenTariffs(e)}).preview, nil
}

func (h *handler) preview(ctx context.Context, c fn.Call[Request]) (Response, error) {
	var amend func(pricing.Tariff) pricing.Tariff
	switch {
	case scenario.Requested(c.Header, scenario.SoldOut):
		return Response{Previews: []pricing.Preview{}}, nil
	case scenario.Requested(c.Header, scenario.PriceChanged):
		amend = pricing.Tariff.Dearer
	}
	all, err := h.tariffs.Preview(ctx, c.In.Properties, pricing.Staying{
		Party: c.In.Occupancy.Party(), Window: c.In.Stay, Currency: c.In.Currency}, amend)
	return Response{all}, err
}
