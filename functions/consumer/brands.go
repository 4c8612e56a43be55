package consumer

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/cache"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/upstream"
)

// A Brand is a hotel company's colour, logo and name, as a list of hotels shows them.
type Brand struct {
	Tenant  id.Tenant   `json:"tenantId"`
	Color   string      `json:"primaryColor"`
	LogoURL string      `json:"logoUrl"`
	Name    locale.Text `json:"brandName"`
}

// colored is a colour as a style sheet may take it without looking.
var colored = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Brands reads the brands of many hotels at once. Each is cached as a document of its own (a peek), together with the count of
// its changes that was read before the theme service was asked. All peeks are read in one round trip; those that are missing
// or old are asked for together.
type Brands struct {
	client  *upstream.Client
	env     env.Env
	peeks   document.Collection[peek]
	changes document.Counters
}

// A peek is a look as it is kept. A hotel without one is kept too.
type peek struct {
	Brand   Brand     `json:"brand"`
	Changes int64     `json:"changes"`
	Looked  time.Time `json:"looked"`
}

// OpenBrands opens the client.
func OpenBrands(e env.Env) *Brands {
	return &Brands{
		upstream.Open(e, "theme", upstream.Policy{Timeout: 600 * time.Millisecond, Retries: 1}), e,
		document.Open[peek](e, "consumer-brand-peek"), document.OpenCounters(e, "consumer-brand-changes"),
	}
}

// mostBrands is as many as the theme service tells at once.
const mostBrands = 50

// changesLife is longer than any peek.
const changesLife = 24 * time.Hour

// Peek returns the brands that could be had, fresh or old, by tenant. The error is not nil if a brand is missing because the
// theme service failed.
func (b *Brands) Peek(ctx context.Context, tenants []id.Tenant) (map[id.Tenant]Brand, cache.State, error) {
	kept, away := b.look(ctx, tenants)
	var missing []id.Tenant
	for _, t := range tenants {
		if !kept[t].good && !slices.Contains(missing, t) {
			missing = append(missing, t)
		}
	}
	told, err := b.ask(ctx, missing)
	state := cache.Hit
	switch {
	case len(missing) > 0 && away != nil:
		state = cache.Bypass
	case len(missing) > 0:
		state = cache.Miss
		b.keep(ctx, told, kept)
	}
	looks, bridged, lacking := choose(tenants, told, kept)
	if bridged {
		state = cache.Stale
	}
	if !lacking {
		err = nil
	}
	return looks, state, err
}

// choose takes each brand from what was told, else from what was kept. It reports whether an old one had to do (bridged), and
// whether a tenant has neither (lacking).
func choose(tenants []id.Tenant, told map[id.Tenant]Brand, kept map[id.Tenant]glance) (looks map[id.Tenant]Brand, bridged, lacking bool) {
	looks = map[id.Tenant]Brand{}
	for _, t := range tenants {
		brand, fresh := told[t]
		if !fresh {
			brand = kept[t].Brand
			bridged = bridged || kept[t].found && !kept[t].good
			lacking = lacking || !kept[t].found
		}
		if colored.MatchString(brand.Color) {
			looks[t] = brand
		}
	}
	return looks, bridged, lacking
}

// A glance is what was kept of a hotel's look.
type glance struct {
	peek
	changes int64 // now
	looked  time.Time
	found   bool // and not too old to show
	good    bool
}

// errPlayed is for what is played for one caller, which is neither kept nor found.
var errPlayed = errors.New("brands: a scenario is played")

// look reads peeks and changes in one round trip.
func (b *Brands) look(ctx context.Context, tenants []id.Tenant) (map[id.Tenant]glance, error) {
	switch {
	case event.OriginOf(ctx).Scenario != "":
		return nil, errPlayed
	case len(tenants) == 0:
		return nil, nil
	}
	store, err := document.StoreOf(b.env)
	if err != nil {
		return nil, err
	}
	var names []document.Name
	for _, t := range tenants {
		names = append(names, b.peeks.Name(document.KeyOf(t.String())), b.changes.Name(document.KeyOf(t.String())))
	}
	now := b.env.Now()
	records, err := store.Get(ctx, now, names...)
	if err != nil {
		return nil, err
	}
	kept := map[id.Tenant]glance{}
	for i, t := range tenants {
		g := glance{changes: b.changes.Read(records[2*i+1]), looked: now}
		g.peek, g.found = b.peeks.Read(document.KeyOf(t.String()), records[2*i])
		g.good = g.found && g.Changes == g.changes && now.Before(g.Looked.Add(front.Fresh))
		kept[t] = g
	}
	return kept, nil
}

// ask asks for looks, as many in a call as may be, all calls at once. A hotel that is not told of has none.
func (b *Brands) ask(ctx context.Context, tenants []id.Tenant) (map[id.Tenant]Brand, error) {
	told, errs := map[id.Tenant]Brand{}, []error(nil)
	var mu sync.Mutex
	var work sync.WaitGroup
	for some := range slices.Chunk(tenants, mostBrands) {
		work.Go(func() {
			brands, err := b.askSome(ctx, some)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
			if err != nil {
				return
			}
			for _, t := range some {
				told[t] = Brand{}
			}
			for _, brand := range brands {
				if slices.Contains(some, brand.Tenant) {
					told[brand.Tenant] = brand
				}
			}
		})
	}
	work.Wait()
	return told, errors.Join(errs...)
}

func (b *Brands) askSome(ctx context.Context, tenants []id.Tenant) ([]Brand, error) {
	in := struct {
		Tenants []id.Tenant `json:"tenantIds"`
	}{tenants}
	var out struct {
		Brands []Brand `json:"brands"`
	}
	if err := b.client.Post(ctx, "/brands", in, &out, upstream.Read()); err != nil {
		return nil, fmt.Errorf("brands: peek: %w", err)
	}
	if out.Brands == nil {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("brands: peek: incomplete"))
	}
	return out.Brands, nil
}

// keep keeps what was told, in one go, under what was known before it was asked for. What cannot be kept is asked for again.
func (b *Brands) keep(ctx context.Context, told map[id.Tenant]Brand, kept map[id.Tenant]glance) {
	var peeks []document.Newer[peek]
	for t, brand := range told {
		g := kept[t]
		peeks = append(peeks, document.Newer[peek]{
			Key: document.KeyOf(t.String()), Value: peek{brand, g.changes, g.looked},
			Version: g.looked.UnixMicro(), Until: g.looked.Add(front.Fresh + front.Stale),
		})
	}
	_, _ = b.peeks.PutMany(ctx, peeks...)
}

// Changed invalidates the kept brand of a tenant, and one that is being asked for at this moment.
func (b *Brands) Changed(ctx context.Context, tenant id.Tenant) error {
	if _, err := b.changes.Add(ctx, document.KeyOf(tenant.String()), 1, b.env.Now().Add(changesLife)); err != nil {
		return fmt.Errorf("brands: changed %s: %w", tenant, err)
	}
	return nil
}
