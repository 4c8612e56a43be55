// Package quote returns the price of a stay and its validity.
package quote

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /sandbox/pricing/v1/quotes.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-quote",
	Route:   "POST /sandbox/pricing/v1/quotes",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const validity = 15 * time.Minute

// A Request is the stay to price.
type Request struct {
	Tenant   id.Tenant      `json:"tenantId"`
	Property id.Property    `json:"propertyId"`
	Items    []pricing.Wish `json:"items"`
	Stay     stay.Window    `json:"stayWindow"`
	Currency money.Currency `json:"currency"`
	Promo    string         `json:"promoCode,omitzero"`
}

// Validate rejects an impossible stay, number of rooms or number of guests.
func (r *Request) Validate() error {
	if err := r.Stay.Validate(); err != nil {
		return standin.Refuse("/stayWindow", "stay", err.Error())
	}
	if len(r.Items) == 0 || len(r.Items) > stay.MaxRooms {
		return standin.Refuse("/items", "count", fmt.Sprintf("Must list 1 to %d rooms.", stay.MaxRooms))
	}
	for _, item := range r.Items {
		if err := item.Occupants.Validate(); err != nil {
			return standin.Refuse("/items", "occupants", err.Error())
		}
	}
	return nil
}

// A Response is the price and the end of its validity.
type Response struct {
	pricing.Price
	ValidUntil time.Time `json:"validUntil"`
}

type handler struct {
	tariffs pricing.Tariffs
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{pricing.OpenTariffs(e)}).price, nil
}

func (h *handler) price(ctx context.Context, c fn.Call[Request]) (Response, error) {
	tariff, err := h.tariffs.Get(ctx, c.In.Tenant, c.In.Property, c.In.Currency, c.In.Promo)
	if err != nil {
		return Response{}, err
	}
	if scenario.Requested(c.Header, scenario.PriceChanged) {
		tariff = tariff.Dearer()
	}
	price, err := tariff.Quote(c.In.Items, c.In.Stay)
	return Response{price, c.Now.Add(validity)}, err
}
