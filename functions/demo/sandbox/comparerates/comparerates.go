// Package comparerates returns the price of each room of a hotel at each rate, cheapest first.
package comparerates

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /sandbox/pricing/v1/cheapest.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-comparerates",
	Route:   "GET /sandbox/pricing/v1/cheapest",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const validity = time.Minute // for display; bookings use quotes

// A Request is a property, a stay and a party.
type Request struct {
	Tenant   id.Tenant      `query:"tenantId"`
	Property id.Property    `query:"propertyId"`
	Start    stay.Date      `query:"start"`
	End      stay.Date      `query:"end"`
	Adults   int            `query:"adults"`
	Children int            `query:"children,optional"`
	Rooms    int            `query:"rooms"`
	Currency money.Currency `query:"currency"`
	Promo    string         `query:"promoCode,optional"`
}

func (r *Request) window() stay.Window { return stay.Window{Start: r.Start, End: r.End} }

func (r *Request) party() standin.Party {
	return standin.Party{Adults: r.Adults, Children: r.Children, Rooms: r.Rooms}
}

// Validate rejects an impossible stay or party.
func (r *Request) Validate() error {
	if err := r.window().Validate(); err != nil {
		return standin.Refuse("/end", "stay", err.Error())
	}
	if err := r.party().Validate(); err != nil {
		return standin.Refuse("/adults", "party", err.Error())
	}
	return nil
}

// A Response lists all rates of the hotel.
type Response struct {
	Property   id.Property      `json:"propertyId"`
	Stay       stay.Window      `json:"stayWindow"`
	Currency   money.Currency   `json:"currency"`
	RoomTypes  []pricing.Offers `json:"roomTypes"`
	FX         *pricing.FX      `json:"fxSnapshot,omitzero"`
	ValidUntil time.Time        `json:"validUntil"`
}

type handler struct {
	tariffs pricing.Tariffs
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{pricing.OpenTariffs(e)}).compare, nil
}

func (h *handler) compare(ctx context.Context, c fn.Call[Request]) (out Response, err error) {
	tariff, err := h.tariffs.Get(ctx, c.In.Tenant, c.In.Property, c.In.Currency, c.In.Promo)
	if err != nil {
		return out, err
	}
	offers, err := tariff.Compare(ctx, c.In.party(), c.In.window())
	return Response{
		Property:   c.In.Property,
		Stay:       c.In.window(),
		Currency:   c.In.Currency,
		RoomTypes:  offers,
		FX:         tariff.FX,
		ValidUntil: c.Now.Add(validity),
	}, err
}
