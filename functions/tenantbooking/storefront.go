package tenantbooking

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Storefront is what a hotel shows before anything is asked. What could not be had is nil, and named in Missing.
type Storefront struct {
	Theme   *Theme
	Rules   []HouseRule
	Missing []string
	Cache   cache.State      // how it was found: the worst of its parts
	Took    map[string]int64 // milliseconds, of the parts that were asked for

	look, house cache.EntryID // of the theme and the rules, where they are kept
}

// Storefronts composes them. Each part is cached for all visitors of the hotel.
type Storefronts struct {
	themes     Themes
	properties Properties
	now        func() time.Time
	looks      *cache.Cache[Theme]
	rules      *cache.Cache[[]HouseRule]
	houses     *cache.Cache[[]House]
	packs      cache.Rendered[*fn.Pack]
}

// front is how long the parts serve: as they are, and while their services fail.
var front = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}

// OpenStorefronts opens what they are composed from.
func OpenStorefronts(e env.Env) *Storefronts {
	return &Storefronts{
		themes:     OpenThemes(e),
		properties: OpenProperties(e),
		now:        e.Now,
		looks:      cache.Open[Theme](e, "tenant-theme", front),
		rules:      cache.Open[[]HouseRule](e, "tenant-policies", front),
		houses:     cache.Open[[]House](e, "tenant-houses", front),
		packs:      cache.OpenRendered[*fn.Pack](e, "bootstrap"),
	}
}

// Compose never fails: a hotel without its colours still lets rooms.
func (s *Storefronts) Compose(ctx context.Context, v Visitor) Storefront {
	if f, ok := s.recall(ctx, v.Tenant.ID); ok {
		return f
	}
	return s.assemble(ctx, v.Tenant.ID)
}

// assemble asks for the parts at once.
func (s *Storefronts) assemble(ctx context.Context, t id.Tenant) Storefront {
	f := Storefront{}
	look, rules := part[Theme]{name: "theme"}, part[[]HouseRule]{name: "policies"}
	var work sync.WaitGroup
	work.Go(func() {
		look.get(s.now, func() (Theme, cache.State, cache.EntryID, error) { return s.look(ctx, t) })
	})
	rules.get(s.now, func() ([]HouseRule, cache.State, cache.EntryID, error) { return s.Rules(ctx, t) })
	work.Wait()
	look.into(&f)
	rules.into(&f)
	f.look, f.house = look.mark, rules.mark
	if look.err == nil {
		f.Theme = &look.value
	}
	if rules.err == nil {
		f.Rules = rules.value
	}
	return f
}

// recall is the front from this process's memory; ok is false unless every part is there and current.
func (s *Storefronts) recall(ctx context.Context, t id.Tenant) (Storefront, bool) {
	key, own := document.KeyOf(t.String()), []cache.Epoch{cache.OfTenant(t)}
	theme, look, ok := s.looks.GetForms(ctx, key, own)
	if !ok {
		return Storefront{}, false
	}
	rules, house, ok := s.rules.GetForms(ctx, key, own)
	return Storefront{Theme: &theme, Rules: rules, Cache: cache.Hit, look: look, house: house}, ok
}

// Show is the bootstrap of one visitor, for one answer: packed if its facade is kept encoded, else b has all of it.
func (s *Storefronts) Show(f Storefront, v Visitor, a *Arrival, now time.Time) (packed fn.Packed, b Bootstrap, err error) {
	b.Moment = f.Moment(v, a, now)
	pack, ok, err := s.pack(f, v)
	switch {
	case err != nil:
	case ok:
		packed, err = pack.With(b.Moment)
	default:
		b.Facade = f.Facade(v)
	}
	return packed, b, err
}

// pack is the facade as it lies packed in memory. There is none where one of its parts is not kept: that is as good for
// nobody else.
func (s *Storefronts) pack(f Storefront, v Visitor) (*fn.Pack, bool, error) {
	key := document.KeyOf(v.Tenant.ID.String(), string(v.Locale), string(v.Currency))
	return s.packs.Of(key, []cache.EntryID{v.Tenant.mark, f.look, f.house}, func() (*fn.Pack, int, error) {
		p, err := fn.NewPack(f.Facade(v))
		if err != nil {
			return nil, 0, fmt.Errorf("storefronts: pack %s: %w", v.Tenant.ID, err)
		}
		return p, p.Size(), nil
	})
}

// names are the documents that Compose looks at.
func (s *Storefronts) names(t id.Tenant) []document.Name {
	key, own := document.KeyOf(t.String()), cache.OfTenant(t)
	return slices.Concat(s.looks.Names(key, own), s.rules.Names(key, own))
}

func (s *Storefronts) look(ctx context.Context, t id.Tenant) (Theme, cache.State, cache.EntryID, error) {
	return s.looks.FetchMarked(ctx, document.KeyOf(t.String()), []cache.Epoch{cache.OfTenant(t)},
		func(ctx context.Context) (Theme, error) { return s.themes.Published(ctx, t) })
}

// Rules are the rules of the hotel's houses, how they were found, and which they are.
func (s *Storefronts) Rules(ctx context.Context, t id.Tenant) ([]HouseRule, cache.State, cache.EntryID, error) {
	return s.rules.FetchMarked(ctx, document.KeyOf(t.String()), []cache.Epoch{cache.OfTenant(t)},
		func(ctx context.Context) ([]HouseRule, error) { return s.properties.Rules(ctx, t) })
}

// Houses are the hotel's houses without their rates, how they were found, and which they are. No event tells of a change of
// theirs: like the rules they are asked for again after five minutes, or when the hotel has changed something about itself.
func (s *Storefronts) Houses(ctx context.Context, t id.Tenant) ([]House, cache.State, cache.EntryID, error) {
	return s.houses.FetchMarked(ctx, document.KeyOf(t.String()), []cache.Epoch{cache.OfTenant(t)},
		func(ctx context.Context) ([]House, error) { return s.properties.List(ctx, t) })
}

// A part is how one part of a storefront was had.
type part[T any] struct {
	name  string
	value T
	state cache.State
	mark  cache.EntryID
	took  int64
	err   error
}

func (p *part[T]) get(now func() time.Time, get func() (T, cache.State, cache.EntryID, error)) {
	began := now()
	p.value, p.state, p.mark, p.err = get()
	p.took = max(0, now().Sub(began).Milliseconds())
}

func (p *part[T]) into(f *Storefront) {
	f.Cache = cache.Worst(f.Cache, p.state)
	if p.state != cache.Hit {
		if f.Took == nil {
			f.Took = map[string]int64{}
		}
		f.Took[p.name] = p.took
	}
	if p.err != nil {
		f.Missing = append(f.Missing, p.name)
	}
}
