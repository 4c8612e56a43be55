package consumer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Searches finds hotels, and puts together what a visitor is shown of them.
type Searches struct {
	listings *Listings
	brands   *Brands
	prices   *Prices
	tenants  *Tenants
	env      env.Env
}

// OpenSearches opens what they are found with.
func OpenSearches(e env.Env) *Searches {
	return &Searches{listings: OpenListings(e), brands: OpenBrands(e), prices: OpenPrices(e), tenants: OpenTenants(e), env: e}
}

// A Composition is how an answer was put together. What could not be had is named in Missing.
type Composition struct {
	Missing []string
	Stale   bool        // something answered in the place of a service that fails
	State   cache.State // the worst of the parts
}

// with adds a part. One that failed is missing, and nothing else is known of it.
func (c *Composition) with(name string, state cache.State, err error) {
	c.State = cache.Worst(c.State, state)
	c.Stale = c.Stale || state == cache.Stale
	if err != nil {
		c.Missing = append(c.Missing, name)
	}
}

// A part is how one part of an answer was had.
type part[T any] struct {
	value T
	state cache.State
	err   error
}

func (p *part[T]) of(value T, state cache.State, err error) {
	*p = part[T]{value: value, state: state, err: err}
}

func (p part[T]) into(c *Composition, name string) { c.with(name, p.state, p.err) }

// prefetch reads in one round trip what changed recently, for all that an answer is made of: ten documents, however
// many hotels it shows.
func (s *Searches) prefetch(ctx context.Context) context.Context {
	names := slices.Concat(s.tenants.statuses.names(), s.brands.themes.names(), s.listings.indexed.names())
	return document.Prefetch(ctx, s.env, names...).WithPrefetched(ctx)
}

// aside is kept back from the time of a request, for what follows the composing: writing the session and the event.
const aside = 200 * time.Millisecond

// ahead returns the context for composing an answer. It ends 200 ms before the request's own, so that the answer comes in time
// even if every service hangs.
func ahead(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-aside))
	}
	return context.WithCancel(ctx)
}

// overdue tells a service that did not answer in time from one that failed.
func overdue(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrBudgetExceeded.After(retryAfter).Because(err)
	}
	return err
}

const retryAfter = 4 * time.Second

// Results are a page of hotels, for one visitor.
type Results struct {
	Composition
	Cards []ListingCard
	Total int // as the search service counts: of hotels that were suspended since it may know nothing

	found Found
	order Order
}

// List finds a page of hotels, of the result that the visitor was shown before. It fails only where nothing could be found out: a hotel without its price or its colours is
// still a hotel.
func (s *Searches) List(ctx context.Context, v Visitor, q Query, p Page, shown Order) (Results, error) {
	ctx, cancel := ahead(ctx)
	defer cancel()
	ctx = s.prefetch(ctx)
	found, order, state, err := s.listings.Page(ctx, q.Normal(), v.Currency, p, shown)
	if err != nil {
		return Results{}, overdue(err)
	}
	r := Results{Total: found.Total, found: found, order: order}
	r.with("search", state, nil)
	r.Cards = s.decorate(ctx, v, Trip{
		Dates:     q.Dates,
		Occupancy: q.Occupancy,
		Currency:  v.Currency,
	}, found.Listings, &r.Composition)
	for i := range r.Cards { // what was found is shared with all who are near the point
		r.Cards[i].DistanceKm = q.Geo.distance(r.Cards[i].Geo)
	}
	return r, nil
}

// decorate makes cards of listings. Hotels that are suspended are left out.
func (s *Searches) decorate(ctx context.Context, v Visitor, t Trip, listings []Listing, c *Composition) []ListingCard {
	var tenants []id.Tenant
	var hotels []id.Property
	for _, l := range listings {
		tenants, hotels = append(tenants, l.Tenant), append(hotels, l.Property)
	}
	var closed map[id.Tenant]bool
	var work sync.WaitGroup
	work.Go(func() { closed = s.tenants.Suspended(ctx, tenants) })
	worn := s.decorations(ctx, tenants, hotels, t, c)
	work.Wait()
	cards := []ListingCard{}
	for _, l := range listings {
		if closed[l.Tenant] {
			continue
		}
		card := l.show(v.Locale)
		if look, ok := worn.looks.value[l.Tenant]; ok {
			card.Brand = look.show(v.Locale)
		}
		card.Rate = worn.rate(l.Property, t)
		cards = append(cards, card)
	}
	return cards
}

// An decorations is the brands and the prices of the hotels on one page.
type decorations struct {
	looks  part[map[id.Tenant]Brand]
	prices part[map[id.Property]Preview]
}

// decorations asks for looks and prices at once.
func (s *Searches) decorations(ctx context.Context, tenants []id.Tenant, hotels []id.Property, t Trip, c *Composition) (a decorations) {
	var work sync.WaitGroup
	work.Go(func() { a.looks.of(s.brands.Peek(ctx, tenants)) })
	work.Go(func() { a.prices.of(s.prices.Preview(ctx, hotels, t)) })
	work.Wait()
	a.looks.into(c, "theme")
	a.prices.into(c, "pricing")
	return a
}

// rate is the price of a hotel, nil where it has none.
func (a decorations) rate(hotel id.Property, t Trip) *RateSnapshot {
	price, ok := a.prices.value[hotel]
	if !ok {
		return nil
	}
	return price.show(t.Currency, a.prices.state == cache.Stale)
}
