package quotes

import (
	"cmp"
	"context"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/stay"
)

// Sources are the services that the price and the terms of a quote come from. Package platform has their clients.
type Sources struct {
	Price    func(context.Context, id.Tenant, Ask) (Price, error)
	Local    func(context.Context, id.Tenant, id.Property) (Local, error)
	Settings func(context.Context, id.Tenant) Settings
}

// A Quoter gets prices and stores them as quotes.
type Quoter struct {
	Quotes Store
	Sources
}

// OpenQuoter opens a Quoter with its store.
func OpenQuoter(e env.Env, s Sources) *Quoter { return &Quoter{OpenStore(e), s} }

// Quote stores and returns the quote for an ask, once per act. It returns ErrNotFound for a property out of scope, and a violation for a
// stay that has begun: for guests by the date at the property, for the front desk by the business date.
func (q *Quoter) Quote(ctx context.Context, act id.Request, by access.Principal, a Ask, now time.Time) (*Quote, error) {
	if !by.Scope.Allows(a.Property) {
		return nil, fault.ErrNotFound
	}
	price, basis, err := q.ask(ctx, by.Tenant, a)
	if err == nil && a.Stay.Start.Before(basis.firstNight(by, now)) {
		err = fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow/start", Rule: "future", Message: "must not be in the past"})
	}
	var quote *Quote
	if err == nil {
		quote, err = New(act, by.Tenant, basis, a, price)
	}
	if err != nil {
		return nil, q.reject(ctx, Requested(act, by.Tenant, basis.Region, a, now), err)
	}
	return q.Quotes.Add(ctx, quote) // row and events in one transaction
}

// BusinessDate returns the business date of a property, or ErrNotFound.
func (q *Quoter) BusinessDate(ctx context.Context, tenant id.Tenant, property id.Property, now time.Time) (stay.Date, error) {
	b, err := q.Basis(ctx, tenant, property)
	return b.BusinessDate(now), err
}

// Basis returns the local time of a property with its tenant's settings, or ErrNotFound.
func (q *Quoter) Basis(ctx context.Context, tenant id.Tenant, property id.Property) (b Basis, err error) {
	if b.Local, err = q.Local(ctx, tenant, property); err == nil {
		b.Settings = q.Settings(ctx, tenant)
	}
	return b, err
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
