package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Tenant represents a hotel company with its own booking site.
type Tenant struct {
	ID         id.Tenant        `json:"tenantId"`
	Slug       string           `json:"slug"`
	Domains    []string         `json:"domains"`
	Status     string           `json:"status"`
	Currency   money.Currency   `json:"currency"`
	Currencies []money.Currency `json:"currencies"`
	Locales    []locale.Tag     `json:"locales"`
}

const suspended = "suspended"

// Suspended reports whether the tenant is suspended and cannot take bookings.
func (t Tenant) Suspended() bool { return t.Status == suspended }

// Tenants looks up tenants and their status.
type Tenants struct {
	client   *upstream.Client
	entries  *cache.Cache[Tenant]
	statuses recentChanges // suspensions reported by events, of all tenants in one document
	now      func() time.Time
}

// OpenTenants opens the client and caches. It calls no service.
func OpenTenants(e env.Env) *Tenants {
	return &Tenants{
		client:   upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond}),
		entries:  cache.Open[Tenant](e, "consumer-tenant", rarelyChanged),
		statuses: openChanges(e, "tenant", 1, statusForLists),
		now:      e.Now,
	}
}

// rarelyChanged is the cache policy of data that seldom change.
var rarelyChanged = cache.Policy{Fresh: 5 * time.Minute, Stale: 30 * time.Minute}

// The time from an event's occurredAt for which the event decides whether a tenant is suspended. For a single hotel, the cached
// answer of the tenant service has expired by then and the new answer decides, because events may be lost. For lists, the
// tenant service is not called; but the search service omits suspended hotels, and no list is served for longer than eleven
// minutes.
const (
	statusForOne   = 5 * time.Minute
	statusForLists = 15 * time.Minute
)

// Find returns a tenant with its effective status, or fault.ErrNotFound.
func (t *Tenants) Find(ctx context.Context, tenant id.Tenant) (Tenant, error) {
	found, state, err := t.entries.Fetch(ctx, document.KeyOf(tenant.String()), []cache.Epoch{ofTenant(tenant)},
		func(ctx context.Context) (Tenant, error) { return t.request(ctx, tenant) })
	if err != nil {
		return Tenant{}, err
	}
	counts := statusForOne
	if state == cache.Stale { // the tenant service failed to answer again
		counts = statusForLists
	}
	changes, err := t.statuses.get(ctx, tenant.String()) // errors are ignored
	if c, known := changes[tenant.String()]; err == nil && known && c.within(counts, t.now()) {
		found.Status = "active"
		if c.Suspended {
			found.Status = suspended
		}
	}
	return found, nil
}

func (t *Tenants) request(ctx context.Context, tenant id.Tenant) (found Tenant, err error) {
	err = t.client.Get(ctx, "/tenants/"+tenant.String(), nil, &found)
	switch {
	case errors.Is(err, errUnknownTenant):
		return Tenant{}, fault.ErrNotFound
	case err != nil:
		return Tenant{}, fmt.Errorf("tenants: find %s: %w", tenant, err)
	case found.ID != tenant || found.Slug == "" || found.Currency == "":
		return Tenant{}, fault.ErrUpstreamUnavailable.Because(errors.New("tenants: find: incomplete, or another hotel"))
	}
	return found, nil
}

// errUnknownTenant is the tenant service's error for an unknown tenant.
var errUnknownTenant = fault.New(fault.NotFound, "TENANT.UNKNOWN", "")

// Suspended returns the set of tenants that are known to be suspended. It is nil if the store fails.
func (t *Tenants) Suspended(ctx context.Context, tenants []id.Tenant) map[id.Tenant]bool {
	since := t.suspensions(ctx, tenants)
	if since == nil {
		return nil
	}
	out := map[id.Tenant]bool{}
	for tenant := range since {
		out[tenant] = true
	}
	return out
}

// suspensions returns the tenants that are known to be suspended, each with the time of its suspension. It is nil if the store fails.
func (t *Tenants) suspensions(ctx context.Context, tenants []id.Tenant) map[id.Tenant]time.Time {
	all := make([]string, len(tenants))
	for i, tenant := range tenants {
		all[i] = tenant.String()
	}
	changes, err := t.statuses.get(ctx, all...)
	if err != nil {
		return nil
	}
	since := map[id.Tenant]time.Time{}
	for i, tenant := range tenants {
		if c := changes[all[i]]; c.Suspended {
			since[tenant] = c.At
		}
	}
	return since
}

// Status returns a tenant, or zero if the lookup fails, and whether it is known to be suspended.
func (t *Tenants) Status(ctx context.Context, tenant id.Tenant) (found Tenant, closed bool) {
	found, err := t.Find(ctx, tenant)
	if err != nil {
		return Tenant{}, t.Suspended(ctx, []id.Tenant{tenant})[tenant]
	}
	return found, found.Suspended()
}

// Apply records that a tenant was suspended or reinstated at a time. An older event than the last recorded one is ignored.
func (t *Tenants) Apply(ctx context.Context, tenant id.Tenant, isSuspended bool, since time.Time) error {
	if err := t.statuses.put(ctx, tenant.String(), change{since, isSuspended}); err != nil {
		return fmt.Errorf("tenants: apply status of %s: %w", tenant, err)
	}
	return nil
}
