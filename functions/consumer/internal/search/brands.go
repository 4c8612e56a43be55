package search

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Brand holds a tenant's colour, logo and name for lists of hotels.
type Brand struct {
	Tenant  id.Tenant   `json:"tenantId"`
	Color   string      `json:"primaryColor"`
	LogoURL string      `json:"logoUrl"`
	Name    locale.Text `json:"brandName"`
}

// colorPattern matches colours that are safe to insert into a style sheet.
var colorPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Brands reads the brands of many tenants at once. Each answer of the theme service is one cached value. Each process also
// caches single brands in memory, so a page fetches only brands that no earlier page has shown.
type Brands struct {
	client *upstream.Client
	pages  *cache.Cache[brandPage]
	known  *cache.Cache[cachedBrand]
	page   *sync.Mutex   // held while the brands of one page are read from or written to memory, so that pages are complete
	themes recentChanges // tenants that published a theme
	now    func() time.Time
}

// brandPage holds the brands of one call.
type brandPage struct {
	Brands []Brand   `json:"brands"`
	At     time.Time `json:"at"`
}

// A cachedBrand is one brand with its fetch time. Brand is zero if the tenant has no brand.
type cachedBrand struct {
	Brand Brand     `json:"brand"`
	At    time.Time `json:"at"`
}

// OpenBrands opens the client.
func OpenBrands(e env.Env) *Brands {
	page, _ := env.Once(e, "consumer.brands", func() (*sync.Mutex, error) { return &sync.Mutex{}, nil }) // it cannot fail
	return &Brands{
		client: upstream.Open(e, "theme", upstream.Policy{Timeout: 600 * time.Millisecond, Retries: 1}),
		pages:  cache.Open[brandPage](e, "consumer-brands", rarelyChanged),
		known:  cache.Open[cachedBrand](e, "consumer-brand", cache.Policy{Fresh: rarelyChanged.Fresh + rarelyChanged.Stale}),
		page:   page,
		themes: openChanges(e, "theme", 1, rarelyChanged.Fresh+rarelyChanged.Stale+clockError),
		now:    e.Now,
	}
}

// maxBrands is the maximum number of brands in one call of the theme service.
const maxBrands = 150

// Get returns the available brands, fresh or stale, by tenant. The error is not nil if a brand is missing because the theme
// service failed.
func (b *Brands) Get(ctx context.Context, tenants []id.Tenant) (map[id.Tenant]Brand, cache.State, error) {
	names := make([]string, len(tenants))
	for i, t := range tenants {
		names[i] = t.String()
	}
	slices.Sort(names)
	names = slices.Compact(names)
	q := brandQuery{brands: b, found: map[string]cachedBrand{}}
	q.changes, _ = b.themes.get(ctx, names...) // an error changes nothing
	b.page.Lock()
	missing := slices.DeleteFunc(names, func(tenant string) bool { return q.fromMemory(ctx, tenant) })
	b.page.Unlock()
	var work conc.WaitGroup
	for some := range slices.Chunk(missing, maxBrands) {
		work.Go(func() { q.fetch(ctx, some) })
	}
	work.Wait()
	return q.result()
}

// A brandQuery collects the brands of one answer.
type brandQuery struct {
	brands  *Brands
	changes map[string]change

	mu     sync.Mutex
	found  map[string]cachedBrand
	states []cache.State
	errs   []error
}

// fromMemory reads a brand from memory and reports whether it is fresh. A stale brand is used if the theme service fails.
func (q *brandQuery) fromMemory(ctx context.Context, tenant string) bool {
	known, ok := q.brands.known.Remembered(ctx, q.key(tenant))
	if ok {
		q.found[tenant] = known
	}
	return ok && q.brands.now().Before(known.At.Add(rarelyChanged.Fresh))
}

// key returns the memory key of a brand, which contains the time of its last change.
func (q *brandQuery) key(tenant string) document.Key {
	return document.KeyOf(tenant, strconv.FormatInt(q.changes[tenant].At.UnixMicro(), 10))
}

// fetch gets the brands of up to maxBrands tenants.
func (q *brandQuery) fetch(ctx context.Context, some []string) {
	got, state, err := fetchSince(ctx, q.brands.pages, q.changes, some, nil, func(ctx context.Context) (brandPage, error) { return q.brands.request(ctx, some) })
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		known := func(tenant string) bool { return has(q.found, tenant) }
		if slices.ContainsFunc(some, known) {
			state = cache.Stale
		}
		if !all(some, known) {
			q.errs = append(q.errs, err)
		}
	}
	q.states = append(q.states, state)
	if err != nil {
		return
	}
	for _, tenant := range some {
		q.found[tenant] = cachedBrand{At: got.At}
	}
	for _, brand := range got.Brands {
		q.found[brand.Tenant.String()] = cachedBrand{brand, got.At}
	}
	q.brands.page.Lock()
	defer q.brands.page.Unlock()
	for _, tenant := range some {
		key := q.key(tenant)
		if known, ok := q.brands.known.Remembered(ctx, key); !ok || known.At.Before(got.At) { // skip if another waiter stored it first
			q.brands.known.Remember(ctx, key, q.found[tenant], got.At)
		}
	}
}

func (q *brandQuery) result() (map[id.Tenant]Brand, cache.State, error) {
	brands := map[id.Tenant]Brand{}
	for _, found := range q.found {
		if !found.Brand.Tenant.IsZero() {
			brands[found.Brand.Tenant] = found.Brand
		}
	}
	return brands, cache.Worst(q.states...), errors.Join(q.errs...)
}

// request requests brands in one call. It omits brands that are not safe to show.
func (b *Brands) request(ctx context.Context, tenants []string) (brandPage, error) {
	in := struct {
		Tenants []string `json:"tenantIds"`
	}{tenants}
	var out struct {
		Brands []Brand `json:"brands"`
	}
	at := b.now()
	if err := b.client.Post(ctx, "/brands", in, &out, upstream.Read()); err != nil {
		return brandPage{}, fmt.Errorf("brands: peek: %w", err)
	}
	if out.Brands == nil {
		return brandPage{}, fault.ErrUpstreamUnavailable.Because(errors.New("brands: peek: incomplete"))
	}
	return brandPage{slices.DeleteFunc(out.Brands, func(brand Brand) bool {
		return !colorPattern.MatchString(brand.Color) || !slices.Contains(tenants, brand.Tenant.String())
	}), at}, nil
}

// Changed invalidates a tenant's brand, including a fetch in progress.
func (b *Brands) Changed(ctx context.Context, tenant id.Tenant) error {
	if err := b.themes.touch(ctx, tenant.String()); err != nil {
		return fmt.Errorf("brands: changed %s: %w", tenant, err)
	}
	return nil
}
