package booking

import (
	"cmp"
	"context"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Quoter gets prices and stores them as quotes.
type Quoter struct {
	Quotes   Quotes
	Price    func(context.Context, id.Tenant, Ask) (Price, error)         // asks the pricing service
	Local    func(context.Context, id.Tenant, id.Property) (Local, error) // returns the local time of a property
	Settings func(context.Context, id.Tenant) Settings                    // returns a tenant's settings
}

// OpenQuoter opens a Quoter with its store and clients.
func OpenQuoter(e env.Env, up Upstreams) *Quoter {
	return &Quoter{
		Quotes: OpenQuotes(e), Price: up.Price, Local: up.Local, Settings: up.Settings,
	}
}

// Quote stores and returns the quote for an ask, once per act. It returns ErrNotFound for a property out of scope.
func (q *Quoter) Quote(ctx context.Context, act id.Request, who Scope, a Ask, now time.Time) (*Quote, error) {
	if !who.Allows(a.Property) {
		return nil, ErrNotFound
	}
	price, basis, err := q.ask(ctx, who.Tenant, a)
	var quote *Quote
	if err == nil {
		quote, err = NewQuote(act, who.Tenant, basis, a, price)
	}
	if err != nil {
		return nil, q.reject(ctx, Requested(act, who.Tenant, basis.Region, a, now), err)
	}
	return q.Quotes.Add(ctx, quote) // row and events in one transaction
}

// ask calls the three services concurrently. An error of pricing takes precedence, because it is the most useful to the
// caller.
func (q *Quoter) ask(ctx context.Context, tenant id.Tenant, a Ask) (price Price, b Basis, err error) {
	var work conc.WaitGroup
	var locateErr error
	work.Go(func() { b.Settings = q.Settings(ctx, tenant) })
	work.Go(func() { b.Local, locateErr = q.Local(ctx, tenant, a.Property) })
	price, err = q.Price(ctx, tenant, a)
	work.Wait()
	return price, b, cmp.Or(err, locateErr)
}

// reject publishes that a price was requested and returns why there is none. It publishes nothing if the region, which an event
// needs, is unknown.
func (q *Quoter) reject(ctx context.Context, asked *Quote, why error) error {
	if asked.Region == "" {
		return why
	}
	return cmp.Or(q.Quotes.Rejected(ctx, asked), why)
}
