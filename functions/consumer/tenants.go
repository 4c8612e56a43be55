package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/cache"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/upstream"
)

// A Tenant is a hotel company with a booking site of its own.
type Tenant struct {
	ID         id.Tenant        `json:"tenantId"`
	Slug       string           `json:"slug"`
	Domains    []string         `json:"domains"`
	Status     string           `json:"status"`
	Currency   money.Currency   `json:"currency"`
	Currencies []money.Currency `json:"currencies"`
}

const suspended = "suspended"

// Suspended reports whether the hotel may sell nothing at present.
func (t Tenant) Suspended() bool { return t.Status == suspended }

// Tenants knows which hotels there are and how they stand.
type Tenants struct {
	client    *upstream.Client
	entries   *cache.Cache[Tenant]
	standings document.Collection[standing]
	now       func() time.Time
}

// OpenTenants opens the directory. It asks nobody yet.
func OpenTenants(e env.Env) *Tenants {
	return &Tenants{
		upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond}),
		cache.Open[Tenant](e, "consumer-tenant", front),
		document.Open[standing](e, "consumer-tenant-standing"),
		e.Now,
	}
}

// front is how long what seldom changes serves: as it is, and while its service fails.
var front = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}

// A standing is what the world has told of a hotel last: whether it is suspended.
type standing struct {
	Suspended bool      `json:"suspended"`
	Since     time.Time `json:"since"`
}

// standingLife is long because for search nobody is asked again how a hotel stands.
const standingLife = 400 * 24 * time.Hour

// Find returns a hotel as it stands, or ErrNotFound.
func (t *Tenants) Find(ctx context.Context, tenant id.Tenant) (Tenant, error) {
	found, _, err := t.entries.Fetch(ctx, document.KeyOf(tenant.String()), []cache.Generation{cache.OfTenant(tenant)},
		func(ctx context.Context) (Tenant, error) { return t.ask(ctx, tenant) })
	if err != nil {
		return Tenant{}, err
	}
	heard, known, err := t.standings.Get(ctx, document.KeyOf(tenant.String()))
	if err == nil && known { // that nothing can be looked up changes nothing
		found.Status = "active"
		if heard.Suspended {
			found.Status = suspended
		}
	}
	return found, nil
}

func (t *Tenants) ask(ctx context.Context, tenant id.Tenant) (found Tenant, err error) {
	err = t.client.Get(ctx, "/tenants/"+tenant.String(), nil, &found)
	switch {
	case errors.Is(err, errUnknownTenant):
		return Tenant{}, ErrNotFound
	case err != nil:
		return Tenant{}, fmt.Errorf("tenants: find %s: %w", tenant, err)
	case found.ID != tenant || found.Slug == "" || found.Currency == "":
		return Tenant{}, fault.ErrUpstreamUnavailable.Because(errors.New("tenants: find: incomplete, or another hotel"))
	}
	return found, nil
}

// errUnknownTenant is how the tenant service says that there is none.
var errUnknownTenant = fault.New(fault.NotFound, "TENANT.UNKNOWN", "")

// Suspended are those of the hotels that are known to be suspended. Where that cannot be looked up none is.
func (t *Tenants) Suspended(ctx context.Context, tenants []id.Tenant) map[id.Tenant]bool {
	if len(tenants) == 0 {
		return nil
	}
	keys := make([]document.Key, len(tenants))
	for i, tenant := range tenants {
		keys[i] = document.KeyOf(tenant.String())
	}
	heard, err := t.standings.GetMany(ctx, keys...)
	if err != nil {
		return nil
	}
	out := map[id.Tenant]bool{}
	for i, s := range heard {
		if s != nil && s.Suspended {
			out[tenants[i]] = true
		}
	}
	return out
}

// Hear notes that a hotel was suspended or reinstated at a moment. What is older than what was heard before changes nothing.
func (t *Tenants) Hear(ctx context.Context, tenant id.Tenant, isSuspended bool, since time.Time) error {
	_, err := t.standings.Put(ctx, document.KeyOf(tenant.String()), standing{isSuspended, since}, since.UnixMicro(), t.now().Add(standingLife))
	if err != nil {
		return fmt.Errorf("tenants: hear of %s: %w", tenant, err)
	}
	return nil
}
