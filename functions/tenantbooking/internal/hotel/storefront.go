package hotel

import (
	"context"
	"slices"
	"time"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Storefront is the public content of a hotel's site: theme and house rules. A part that could not be read is nil and
// listed in Missing.
type Storefront struct {
	Theme        *Theme
	Rules        []HouseRule
	Missing      []string
	Cache        cache.State      // the worst cache state of the parts
	ComposedAt   time.Time        // when the oldest part was read from its service; zero without parts
	Milliseconds map[string]int64 // milliseconds for each part, also for a cache hit
}

// Storefronts composes storefronts. Each part is cached for all visitors of the tenant.
type Storefronts struct {
	themeClient    Themes
	propertyClient Properties
	now            func() time.Time
	themeCache     *cache.Cache[Theme]
	ruleCache      *cache.Cache[[]HouseRule]
	propertyCache  *cache.Cache[[]Property]
}

// contentPolicy is the cache policy of the parts: fresh for 5 minutes, then served stale for up to 30 minutes while their
// service fails.
var contentPolicy = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}

// OpenStorefronts returns Storefronts with its clients and caches.
func OpenStorefronts(e env.Env) *Storefronts {
	return &Storefronts{
		themeClient:    OpenThemes(e),
		propertyClient: OpenProperties(e),
		now:            e.Now,
		themeCache:     cache.Open[Theme](e, "tenant-theme", contentPolicy),
		ruleCache:      cache.Open[[]HouseRule](e, "tenant-policies", contentPolicy),
		propertyCache:  cache.Open[[]Property](e, "tenant-properties", contentPolicy),
	}
}

// ThemeVersion returns the theme's version, or "none" without a theme, because events require a value.
func (f Storefront) ThemeVersion() string {
	if f.Theme == nil {
		return "none"
	}
	return f.Theme.Named()
}

// Compose returns the tenant's storefront. It reads the parts concurrently. It never fails: guests can book without the theme or
// the rules.
func (s *Storefronts) Compose(ctx context.Context, t id.Tenant) Storefront {
	f := Storefront{}
	theme, rules := part[Theme]{name: "theme"}, part[[]HouseRule]{name: "policies"}
	var work conc.WaitGroup
	work.Go(func() { theme.get(s.now, func() (cache.Dated[Theme], cache.State, error) { return s.theme(ctx, t) }) })
	rules.get(s.now, func() (cache.Dated[[]HouseRule], cache.State, error) { return s.rules(ctx, t) })
	work.Wait()
	theme.into(&f)
	rules.into(&f)
	if theme.err == nil {
		f.Theme = &theme.value
	}
	if rules.err == nil {
		f.Rules = rules.value
	}
	return f
}

// DocumentNames returns the names of the documents that Compose reads.
func (s *Storefronts) DocumentNames(t id.Tenant) []document.Name {
	key := document.KeyOf(t.String())
	return slices.Concat(s.themeCache.Names(key, OfLook(t)), s.ruleCache.Names(key, OfConfiguration(t)))
}

func (s *Storefronts) theme(ctx context.Context, t id.Tenant) (cache.Dated[Theme], cache.State, error) {
	return s.themeCache.FetchDated(ctx, document.KeyOf(t.String()), []cache.Epoch{OfLook(t)},
		func(ctx context.Context) (Theme, error) { return s.themeClient.Published(ctx, t) })
}

// Rules returns the house rules of the tenant's properties and their cache state.
func (s *Storefronts) Rules(ctx context.Context, t id.Tenant) ([]HouseRule, cache.State, error) {
	rules, state, err := s.rules(ctx, t)
	return rules.Value, state, err
}

func (s *Storefronts) rules(ctx context.Context, t id.Tenant) (cache.Dated[[]HouseRule], cache.State, error) {
	return s.ruleCache.FetchDated(ctx, document.KeyOf(t.String()), []cache.Epoch{OfConfiguration(t)},
		func(ctx context.Context) ([]HouseRule, error) { return s.propertyClient.Rules(ctx, t) })
}

// Properties returns the tenant's properties without rates and their cache state. No event reports
// changes of properties, so they are fetched again after five minutes or when the tenant's configuration changes.
func (s *Storefronts) Properties(ctx context.Context, t id.Tenant) ([]Property, cache.State, error) {
	return s.propertyCache.Fetch(ctx, document.KeyOf(t.String()), []cache.Epoch{OfConfiguration(t)},
		func(ctx context.Context) ([]Property, error) { return s.propertyClient.List(ctx, t) })
}

// A part is one part of a storefront with its cache state, duration and error.
type part[T any] struct {
	name  string
	value T
	at    time.Time
	state cache.State
	took  int64
	err   error
}

func (p *part[T]) get(now func() time.Time, get func() (cache.Dated[T], cache.State, error)) {
	began := now()
	dated, state, err := get()
	p.value, p.at, p.state, p.err = dated.Value, dated.At, state, err
	p.took = max(0, now().Sub(began).Milliseconds())
}

func (p *part[T]) into(f *Storefront) {
	f.Cache = cache.Worst(f.Cache, p.state)
	if f.Milliseconds == nil {
		f.Milliseconds = map[string]int64{}
	}
	f.Milliseconds[p.name] = p.took
	if p.err != nil {
		f.Missing = append(f.Missing, p.name)
		return
	}
	if f.ComposedAt.IsZero() || p.at.Before(f.ComposedAt) {
		f.ComposedAt = p.at
	}
}
