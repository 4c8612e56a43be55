// Package quote asks what a stay costs and freezes the answer.
package quote

import (
	"cmp"
	"context"
	"sync"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers POST /api/v1/reservations/quotes.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-quote",
	Route:      "POST /api/v1/reservations/quotes",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("pricing"), fn.Upstream("property"), fn.Upstream("tenant")},
	Publishes:  fn.Subjects{reservation.QuoteRequestedV1, reservation.QuoteCreatedV1},
	Idempotent: true,
	Timeout:    2 * time.Second,
}, New)

// A Request says what is wanted.
type Request = reservation.Ask

// A Response is the price, and until when it stands by the clock that decides.
type Response struct {
	reservation.QuoteView
	ServerTime time.Time `json:"serverTime"`
}

// pricer is all this function needs of the pricing service.
type pricer interface {
	Price(context.Context, id.Tenant, reservation.Ask) (reservation.Price, error)
}

// locator is all this function needs of the property service.
type locator interface {
	Local(context.Context, id.Tenant, id.Property) (reservation.Local, error)
}

type quoter struct {
	quotes     reservation.Quotes
	pricing    pricer
	properties locator
	settings   func(context.Context, id.Tenant) reservation.Settings // of a tenant
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&quoter{
		quotes: reservation.OpenQuotes(e), pricing: reservation.OpenPricing(e), properties: reservation.OpenProperties(e),
		settings: reservation.OpenTenants(e).Settings,
	}).quote, nil
}

// ask calls the three services at once. An error of pricing comes first, since it says most to the caller.
func (q *quoter) ask(ctx context.Context, c reservation.Call[Request]) (price reservation.Price, b reservation.Basis, err error) {
	var work sync.WaitGroup
	var unlocated error
	work.Go(func() { b.Settings = q.settings(ctx, c.Tenant) })
	work.Go(func() { b.Local, unlocated = q.properties.Local(ctx, c.Tenant, c.In.Property) })
	price, err = q.pricing.Price(ctx, c.Tenant, c.In)
	work.Wait()
	return price, b, cmp.Or(err, unlocated)
}

// reject publishes that a price was requested, and returns why there is none. It publishes nothing if the region, which an event needs,
// is unknown.
func (q *quoter) reject(ctx context.Context, c reservation.Call[Request], region string, why error) error {
	if region == "" {
		return why
	}
	return cmp.Or(q.quotes.Rejected(ctx, reservation.Requested(c.Act, c.Tenant, region, c.In, c.Now)), why)
}

func (q *quoter) quote(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	if !c.Allows(c.In.Property) {
		return out, reservation.ErrNotFound
	}
	price, basis, err := q.ask(ctx, c)
	var quote *reservation.Quote
	if err == nil {
		quote, err = reservation.NewQuote(c.Act, c.Tenant, basis, c.In, price)
	}
	if err != nil {
		return out, q.reject(ctx, c, basis.Region, err)
	}
	if quote, err = q.quotes.Add(ctx, quote); err != nil { // row and events in one transaction
		return out, err
	}
	return Response{quote.View(), quote.AsOf}, nil
}
