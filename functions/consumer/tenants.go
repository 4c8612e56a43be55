package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
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
	client   *upstream.Client
	entries  *cache.Cache[Tenant]
	statuses recentChanges // what events said of suspensions, of all tenants in one document
	now      func() time.Time
}

// OpenTenants opens the directory. It asks nobody yet.
func OpenTenants(e env.Env) *Tenants {
	return &Tenants{
		client:   upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond}),
		entries:  cache.Open[Tenant](e, "consumer-tenant", front),
		statuses: openChanges(e, "tenant", 1, statusForLists),
		now:      e.Now,
	}
}

// front is how long what seldom changes serves: as it is, and while its service fails.
var front = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}

// How long an event decides whether a tenant is suspended, from its occurredAt. For one hotel the tenant service has been asked
// again by then, and its answer counts: an event may be lost. For lists no service is asked, but the search service leaves out
// suspended hotels by itself, and no list is served for longer than eleven minutes.
const (
	statusForOne   = 5 * time.Minute
	statusForLists = 15 * time.Minute
)

// Find returns a hotel as it stands, or ErrNotFound.
func (t *Tenants) Find(ctx context.Context, tenant id.Tenant) (Tenant, error) {
	found, state, err := t.entries.Fetch(ctx, document.KeyOf(tenant.String()), []cache.Epoch{cache.OfTenant(tenant)},
		func(ctx context.Context) (Tenant, error) { return t.ask(ctx, tenant) })
	if err != nil {
		return Tenant{}, err
	}
	counts := statusForOne
	if state == cache.Stale { // the tenant service could not be asked again
		counts = statusForLists
	}
	heard, err := t.statuses.of(ctx, tenant.String()) // an error changes nothing
	if c, known := heard[tenant.String()]; err == nil && known && c.within(counts, t.now()) {
		found.Status = "active"
		if c.Suspended {
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
	all := make([]string, len(tenants))
	for i, tenant := range tenants {
		all[i] = tenant.String()
	}
	heard, err := t.statuses.of(ctx, all...)
	if err != nil {
		return nil
	}
	out := map[id.Tenant]bool{}
	for i, tenant := range tenants {
		if heard[all[i]].Suspended {
			out[tenant] = true
		}
	}
	return out
}

// Status returns a hotel as far as it can be known, and whether it is known to be suspended.
func (t *Tenants) Status(ctx context.Context, tenant id.Tenant) (found Tenant, closed bool) {
	found, err := t.Find(ctx, tenant)
	if err != nil {
		return Tenant{}, t.Suspended(ctx, []id.Tenant{tenant})[tenant]
	}
	return found, found.Suspended()
}

// Apply notes that a hotel was suspended or reinstated at a moment. What is older than what was heard before changes nothing.
func (t *Tenants) Apply(ctx context.Context, tenant id.Tenant, isSuspended bool, since time.Time) error {
	if err := t.statuses.put(ctx, tenant.String(), change{since, isSuspended}); err != nil {
		return fmt.Errorf("tenants: hear of %s: %w", tenant, err)
	}
	return nil
}
