package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Searches finds hotels and composes the answers for visitors.
type Searches struct {
	listings   *Listings
	selections *Selections
	brands     *Brands
	prices     *Prices
	tenants    *Tenants
	env        env.Env
}

// OpenSearches opens the clients and caches of the search, theme, pricing and tenant services.
func OpenSearches(e env.Env) *Searches {
	return &Searches{
		listings:   OpenListings(e),
		selections: OpenSelections(e),
		brands:     OpenBrands(e),
		prices:     OpenPrices(e),
		tenants:    OpenTenants(e),
		env:        e,
	}
}

// A Composition describes how an answer was composed. Missing lists the parts that were not available.
type Composition struct {
	Missing []string
	Stale   bool        // a stale cached value replaced the answer of a failing service
	State   cache.State // the worst state of the parts
}

// add adds a part. A part with an error is listed as missing.
func (c *Composition) add(name string, state cache.State, err error) {
	c.State = cache.Worst(c.State, state)
	c.Stale = c.Stale || state == cache.Stale
	if err != nil {
		c.lack(name)
	}
}

// addAll adds the parts of another composition.
func (c *Composition) addAll(other Composition) {
	c.State = cache.Worst(c.State, other.State)
	c.Stale = c.Stale || other.Stale
	for _, name := range other.Missing {
		c.lack(name)
	}
}

// lack lists a part as missing, once.
func (c *Composition) lack(name string) {
	if !slices.Contains(c.Missing, name) {
		c.Missing = append(c.Missing, name)
	}
}

// A part holds one part of an answer, with its cache state and error.
type part[T any] struct {
	value T
	state cache.State
	err   error
}

func (p *part[T]) set(value T, state cache.State, err error) {
	*p = part[T]{value: value, state: state, err: err}
}

func (p part[T]) addTo(c *Composition, name string) { c.add(name, p.state, p.err) }

// prefetch reads the recent changes for all parts of an answer in one round trip: ten documents, independent of the number of
// hotels.
func (s *Searches) prefetch(ctx context.Context) context.Context {
	names := slices.Concat(s.tenants.statuses.names(), s.brands.themes.names(), s.listings.indexed.names())
	return document.Prefetch(ctx, s.env, names...).WithPrefetched(ctx)
}

// compositionReserve is the part of the request's time that is reserved for the work after composition: storing the session
// and the event.
const compositionReserve = 200 * time.Millisecond

// compositionContext returns the context for composing an answer. It ends 200 ms before the request's own context, so that the
// answer is in time even if every service hangs.
func compositionContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-compositionReserve))
	}
	return context.WithCancel(ctx)
}

// asBudgetExceeded maps an expired deadline to ErrBudgetExceeded and returns other errors unchanged.
func asBudgetExceeded(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrBudgetExceeded.After(retryAfter).Because(err)
	}
	return err
}

const retryAfter = 4 * time.Second

// Results represents a page of hotels for one visitor.
type Results struct {
	Composition
	Cards []ListingCard
	Total int // from the search service; may include hotels that were suspended since

	found  Found
	order  Order
	listed cache.State // of the hotels alone
}

// A ListRequest asks for a page of hotels, with texts and prices for one visitor.
type ListRequest struct {
	Query    Query
	Page     Page
	Shown    Order // the result that the visitor pages through; zero if they have not seen any
	Locale   locale.Tag
	Currency money.Currency
}

// List returns a page of hotels, cut from the result that the visitor was shown before if it is still cached. It fails only
// if no hotels could be found: prices and brands may be missing.
func (s *Searches) List(ctx context.Context, r ListRequest) (Results, error) {
	ctx, cancel := compositionContext(ctx)
	defer cancel()
	ctx = s.prefetch(ctx)
	found, order, state, err := s.listings.Page(ctx, r.Query.Normal(), r.Currency, r.Page, r.Shown)
	if err != nil {
		return Results{}, asBudgetExceeded(err)
	}
	out := Results{Total: found.Total, found: found, order: order, listed: state}
	out.add("search", state, nil)
	trip := Trip{Dates: r.Query.Dates, Occupancy: r.Query.Occupancy, Currency: r.Currency}
	out.Cards = s.decorate(ctx, r.Locale, trip, found.Listings, &out.Composition)
	for i := range out.Cards { // not in the cached result, which visitors with different exact points share
		out.Cards[i].DistanceKm = r.Query.Geo.distance(out.Cards[i].Geo)
	}
	return out, nil
}

// decorate attaches brand and price to each listing. It omits hotels that are suspended.
func (s *Searches) decorate(ctx context.Context, l locale.Tag, t Trip, listings []Listing, c *Composition) []ListingCard {
	var tenants []id.Tenant
	var hotels []id.Property
	for _, listing := range listings {
		tenants, hotels = append(tenants, listing.Tenant), append(hotels, listing.Property)
	}
	var closed map[id.Tenant]bool
	var work conc.WaitGroup
	work.Go(func() { closed = s.tenants.Suspended(ctx, tenants) })
	decorated := s.decorations(ctx, tenants, hotels, t, c)
	work.Wait()
	cards := []ListingCard{}
	for _, listing := range listings {
		if closed[listing.Tenant] {
			continue
		}
		card := listing.show(l)
		card.Brand = decorated.brands.value[listing.Tenant].show(listing.Name, l)
		card.Rate = decorated.rate(listing.Property, t)
		cards = append(cards, card)
	}
	return cards
}

// A decorations holds the brands and prices of the hotels on one page.
type decorations struct {
	brands part[map[id.Tenant]Brand]
	prices part[map[id.Property]Preview]
}

// decorations fetches brands and prices concurrently.
func (s *Searches) decorations(ctx context.Context, tenants []id.Tenant, hotels []id.Property, t Trip, c *Composition) (a decorations) {
	var work conc.WaitGroup
	work.Go(func() { a.brands.set(s.brands.Get(ctx, tenants)) })
	work.Go(func() { a.prices.set(s.prices.Preview(ctx, hotels, t)) })
	work.Wait()
	a.brands.addTo(c, "theme")
	a.prices.addTo(c, "pricing")
	return a
}

// rate returns the price of a hotel, or nil if it has none.
func (a decorations) rate(hotel id.Property, t Trip) *RateSnapshot {
	price, ok := a.prices.value[hotel]
	if !ok {
		return nil
	}
	return price.show(t.Currency, a.prices.state == cache.Stale)
}
