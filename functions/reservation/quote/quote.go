// Package quote gets the price of a stay and stores it as a quote.
package quote

import (
	"cmp"
	"context"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /api/v1/reservations/quotes.
var Function = reservation.HTTP(fn.Spec{
	Name:       "reservation-quote",
	Route:      "POST /api/v1/reservations/quotes",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Upstream("pricing"), fn.Upstream("property"), fn.Upstream("tenant")},
	Publishes:  fn.Subjects{booking.QuoteRequestedV1, booking.QuoteCreatedV1},
	Idempotent: true,
	Timeout:    2 * time.Second,
}, New)

// A Request describes the stay to price.
type Request = booking.Ask

// A Response is the quote, with the server's time as the base for its validity.
type Response struct {
	booking.QuoteView
	ServerTime time.Time `json:"serverTime"`
}

// pricer is the part of the pricing client that this function needs.
type pricer interface {
	Price(context.Context, id.Tenant, booking.Ask) (booking.Price, error)
}

// locator is the part of the property client that this function needs.
type locator interface {
	Local(context.Context, id.Tenant, id.Property) (booking.Local, error)
}

type quoter struct {
	quotes     booking.Quotes
	pricing    pricer
	properties locator
	settings   func(context.Context, id.Tenant) booking.Settings // returns a tenant's settings
}

// New builds the function with the resources that its Spec declares.
func New(e env.Env) (reservation.Serve[Request, Response], error) {
	return (&quoter{
		quotes: booking.OpenQuotes(e), pricing: booking.OpenPricing(e), properties: booking.OpenProperties(e),
		settings: booking.OpenTenants(e).Settings,
	}).quote, nil
}

// ask calls the three services concurrently. An error of pricing takes precedence, because it is the most useful to the
// caller.
func (q *quoter) ask(ctx context.Context, c reservation.Call[Request]) (price booking.Price, b booking.Basis, err error) {
	var work conc.WaitGroup
	var locateErr error
	work.Go(func() { b.Settings = q.settings(ctx, c.Tenant) })
	work.Go(func() { b.Local, locateErr = q.properties.Local(ctx, c.Tenant, c.In.Property) })
	price, err = q.pricing.Price(ctx, c.Tenant, c.In)
	work.Wait()
	return price, b, cmp.Or(err, locateErr)
}

// reject publishes that a price was requested and returns why. It publishes nothing if the region, which an event
// needs, is unknown.
func (q *quoter) reject(ctx context.Context, c reservation.Call[Request], region string, why error) error {
	if region == "" {
		return why
	}
	return cmp.Or(q.quotes.Rejected(ctx, booking.Requested(c.Act, c.Tenant, region, c.In, c.Now)), why)
}

func (q *quoter) quote(ctx context.Context, c reservation.Call[Request]) (out Response, err error) {
	if !c.Allows(c.In.Property) {
		return out, booking.ErrNotFound
	}
	price, basis, err := q.ask(ctx, c)
	var quote *booking.Quote
	if err == nil {
		quote, err = booking.NewQuote(c.Act, c.Tenant, basis, c.In, price)
	}
	if err != nil {
		return out, q.reject(ctx, c, basis.Region, err)
	}
	if quote, err = q.quotes.Add(ctx, quote); err != nil { // row and events in one transaction
		return out, err
	}
	return Response{quote.View(), quote.AsOf}, nil
}
