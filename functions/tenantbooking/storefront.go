package tenantbooking

import (
	"context"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/cache"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
)

// A Storefront is what a hotel shows before anything is asked. What could not be had is nil, and named in Missing.
type Storefront struct {
	Theme   *Theme
	Rules   []HouseRule
	Missing []string
	Cache   cache.State      // how it was found: the worst of its parts
	Took    map[string]int64 // milliseconds, of the parts that were asked for
}

// Storefronts composes them, each part once for everybody.
type Storefronts struct {
	themes Themes
	houses Properties
	now    func() time.Time
	looks  *cache.Cache[Theme]
	rules  *cache.Cache[[]HouseRule]
}

// front is how long the parts serve: as they are, and while their services fail.
var front = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}

// OpenStorefronts opens what they are composed from.
func OpenStorefronts(e env.Env) *Storefronts {
	return &Storefronts{
		OpenThemes(e), OpenProperties(e), e.Now,
		cache.Open[Theme](e, "tenant-theme", front), cache.Open[[]HouseRule](e, "tenant-policies", front),
	}
}

// Compose never fails: a hotel without its colours still lets rooms.
func (s *Storefronts) Compose(ctx context.Context, v Visitor) Storefront {
	f := Storefront{Took: map[string]int64{}}
	look, rules := part[Theme]{name: "theme"}, part[[]HouseRule]{name: "policies"}
	var work sync.WaitGroup
	work.Go(func() {
		look.get(s.now, func() (Theme, cache.State, error) { return s.look(ctx, v.Tenant.ID) })
	})
	work.Go(func() {
		rules.get(s.now, func() ([]HouseRule, cache.State, error) { return s.Rules(ctx, v.Tenant.ID) })
	})
	work.Wait()
	look.into(&f)
	rules.into(&f)
	if look.err == nil {
		f.Theme = &look.value
	}
	if rules.err == nil {
		f.Rules = rules.value
	}
	return f
}

func (s *Storefronts) look(ctx context.Context, t id.Tenant) (Theme, cache.State, error) {
	return s.looks.Fetch(ctx, document.KeyOf(t.String()), []cache.Generation{cache.OfTenant(t)},
		func(ctx context.Context) (Theme, error) { return s.themes.Published(ctx, t) })
}

// Rules are the rules of the hotel's houses.
func (s *Storefronts) Rules(ctx context.Context, t id.Tenant) ([]HouseRule, cache.State, error) {
	return s.rules.Fetch(ctx, document.KeyOf(t.String()), []cache.Generation{cache.OfTenant(t)},
		func(ctx context.Context) ([]HouseRule, error) { return s.houses.Rules(ctx, t) })
}

// A part is how one part of a storefront was had.
type part[T any] struct {
	name  string
	value T
	state cache.State
	took  int64
	err   error
}

func (p *part[T]) get(now func() time.Time, get func() (T, cache.State, error)) {
	began := now()
	p.value, p.state, p.err = get()
	p.took = max(0, now().Sub(began).Milliseconds())
}

func (p *part[T]) into(f *Storefront) {
	f.Cache = worse(f.Cache, p.state)
	if p.state != cache.Hit {
		f.Took[p.name] = p.took
	}
	if p.err != nil {
		f.Missing = append(f.Missing, p.name)
	}
}

// worse is the state of an answer made of two parts.
func worse(a, b cache.State) cache.State {
	for _, s := range []cache.State{cache.Bypass, cache.Stale, cache.Miss} {
		if a == s || b == s {
			return s
		}
	}
	return cache.Hit
}
