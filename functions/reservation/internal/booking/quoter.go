package booking

import (
	"cmp"
	"context"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
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

// Quote stores and returns the quote for an ask, once per act. It returns ErrNotFound for a property out of scope, and a violation for a
// stay that has begun: for guests by the date at the property, for the front desk by the business date.
func (q *Quoter) Quote(ctx context.Context, act id.Request, by Principal, a Ask, now time.Time) (*Quote, error) {
	if !by.Scope.Allows(a.Property) {
		return nil, ErrNotFound
	}
	price, basis, err := q.ask(ctx, by.Tenant, a)
	if err == nil && a.Stay.Start.Before(basis.firstNight(by, now)) {
		err = fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow/start", Rule: "future", Message: "must not be in the past"})
	}
	var quote *Quote
	if err == nil {
		quote, err = NewQuote(act, by.Tenant, basis, a, price)
	}
	if err != nil {
		return nil, q.reject(ctx, Requested(act, by.Tenant, basis.Region, a, now), err)
	}
	return q.Quotes.Add(ctx, quote) // row and events in one transaction
}

// BusinessDate returns the business date of a property, or ErrNotFound.
func (q *Quoter) BusinessDate(ctx context.Context, tenant id.Tenant, property id.Property, now time.Time) (stay.Date, error) {
	b, err := q.Basis(ctx, tenant, property)
	return b.businessDate(now), err
}

// Basis returns the local time of a property with its tenant's settings, or ErrNotFound.
func (q *Quoter) Basis(ctx context.Context, tenant id.Tenant, property id.Property) (b Basis, err error) {
	if b.Local, err = q.Local(ctx, tenant, property); err == nil {
		b.Settings = q.Settings(ctx, tenant)
	}
	return b, err
}

// firstNight returns the first night that the caller can buy.
func (b Basis) firstNight(by Principal, now time.Time) stay.Date {
	if by.ActsForStaff() {
		return b.businessDate(now)
	}
	return b.Local.date(now)
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
