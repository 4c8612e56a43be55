package hotel

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A directory caches tenants. A tenant has several names and one entry: each name maps to the tenant's id.
type directory struct {
	names    *cache.Cache[id.Tenant]
	entries  *cache.Cache[Tenant]
	statuses document.Collection[tenantStatus]
	unknown  *cache.Cache[bool]
	now      func() time.Time
}

func openDirectory(e env.Env) directory {
	return directory{
		names:    cache.Open[id.Tenant](e, "slug", cache.Policy{Fresh: time.Hour, Stale: time.Hour}),
		entries:  cache.Open[Tenant](e, "tenant", contentPolicy),
		statuses: document.Open[tenantStatus](e, "tenant-status"),
		unknown:  cache.Open[bool](e, "unknown-tenants", cache.Policy{Fresh: unknownTTL}),
		now:      e.Now,
	}
}

// A tenantStatus is the status of a tenant according to its last event.
type tenantStatus struct {
	Suspended bool      `json:"suspended"`
	Since     time.Time `json:"since"`
}

// For tenantStatusCounts from the time of the event, the status of the event overrides the tenant service. After that
// the service's answer counts, because it is newer than the event and a later event may have been lost. While the tenant
// service is unavailable, the status counts for tenantStatusLife.
const (
	tenantStatusCounts = 5 * time.Minute
	tenantStatusTTL    = 15 * time.Minute
)

const unknownTTL = time.Minute // how long an unknown name is cached; a new hotel is found at the latest after this time

// Find returns the tenant with that slug, domain or id, or ErrUnknownTenant.
func (t *Tenants) Find(ctx context.Context, ref string) (Tenant, error) {
	return t.FindPrefetching(ctx, ref, func(id.Tenant) document.Prefetched { return document.Prefetched{} })
}

// FindPrefetching is like Find, and calls ahead to prefetch documents as soon as the tenant's id is known.
func (t *Tenants) FindPrefetching(ctx context.Context, ref string, ahead func(id.Tenant) document.Prefetched) (Tenant, error) {
	ref = canonicalRef(ref)
	if unknown, _ := t.unknown.Remembered(ctx, document.KeyOf(ref)); unknown || !isValidRef(ref) {
		return Tenant{}, ErrUnknownTenant
	}
	known, err := t.resolve(ctx, ref)
	if err != nil {
		return Tenant{}, err
	}
	ctx = ahead(known).WithPrefetched(ctx)
	found, err := t.cached(ctx, ref, known)
	switch {
	case errors.Is(err, document.ErrNoStore):
		found, err = t.fetchRef(ctx, ref)
	case errors.Is(err, errMoved):
		if found, err = t.fetchRef(ctx, ref); err == nil {
			t.names.Put(ctx, document.KeyOf(ref), found.ID, t.now()) // the name of another tenant from now on
			t.names.Remember(ctx, document.KeyOf(ref), found.ID, t.now())
		}
	}
	if err != nil {
		return Tenant{}, err
	}
	return t.withStatus(ctx, found), nil
}

// hostName returns the pattern of slugs and domains.
var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?))*$`)
})

// isValidRef reports whether a name has the form of a tenant's id, slug or domain. The tenant service is not called
// for others.
func isValidRef(ref string) bool {
	const longest = 253 // length of a domain
	if _, err := id.Parse[id.Tenant](ref); err == nil {
		return true
	}
	return len(ref) <= longest && hostName().MatchString(ref)
}

// errMoved means that a name now belongs to another tenant than the cached one. It is a 4xx error, so that the cache
// does not serve the stale entry instead.
var errMoved = fault.New(fault.NotFound, "TENANT.MOVED", ErrUnknownTenant.Detail)

// resolve returns the tenant id of a name.
func (t *Tenants) resolve(ctx context.Context, ref string) (known id.Tenant, err error) {
	ask := func(ctx context.Context) (id.Tenant, error) {
		if unknown, _ := t.unknown.Remembered(ctx, document.KeyOf(ref)); unknown { // another request has fetched it while this one waited
			return id.Tenant{}, ErrUnknownTenant
		}
		found, err := t.fetchRef(ctx, ref)
		return found.ID, err
	}
	known, _, err = t.names.Fetch(ctx, document.KeyOf(ref), nil, ask)
	if errors.Is(err, document.ErrNoStore) {
		known, err = ask(ctx)
	}
	return known, err
}

// fetchRef is fetch, and remembers an unknown name.
func (t *Tenants) fetchRef(ctx context.Context, ref string) (Tenant, error) {
	found, err := t.fetch(ctx, ref)
	if errors.Is(err, ErrUnknownTenant) {
		t.unknown.Remember(ctx, document.KeyOf(ref), true, t.now())
	}
	return found, err
}

// DocumentNames returns the names of the documents that Find reads.
func (t *Tenants) DocumentNames(known id.Tenant) []document.Name {
	key := document.KeyOf(known.String())
	return append(t.entries.Names(key, OfConfiguration(known)), t.statuses.Name(key))
}

// cached returns the tenant's entry from the cache or the tenant service. The cache reads the tenant's epoch before it
// calls the service, so that an event in between makes the entry stale.
func (t *Tenants) cached(ctx context.Context, ref string, known id.Tenant) (Tenant, error) {
	found, state, err := t.entries.Fetch(ctx, document.KeyOf(known.String()), []cache.Epoch{OfConfiguration(known)},
		func(ctx context.Context) (Tenant, error) {
			found, err := t.fetchRef(ctx, ref)
			if err == nil && found.ID != known {
				err = errMoved
			}
			return found, err
		})
	if err == nil && !found.hasRef(ref) {
		err = errMoved
	}
	found.stale = state == cache.Stale
	return found, err
}

// canonicalRef returns the canonical spelling of a name: slugs and domains in lower case, ids unchanged.
func canonicalRef(ref string) string {
	if _, err := id.Parse[id.Tenant](ref); err == nil {
		return ref
	}
	return strings.ToLower(ref)
}

func (t Tenant) hasRef(ref string) bool {
	return ref == t.Slug || ref == t.ID.String() || slices.Contains(t.Domains, ref)
}

// withStatus returns the tenant with the status of a recent event, if there is one. Errors of the store are ignored.
func (t *Tenants) withStatus(ctx context.Context, found Tenant) Tenant {
	status, ok, err := t.statuses.GetPrefetched(ctx, document.KeyOf(found.ID.String()))
	if err == nil && ok && (found.stale || t.now().Sub(status.Since).Abs() < tenantStatusCounts) {
		found.Status = "active"
		if status.Suspended {
			found.Status = suspended
		}
	}
	return found
}

// SetStatus records that the tenant was suspended or reinstated at that time. It ignores an event older than the recorded
// one, and an event whose time is too far from now.
func (t *Tenants) SetStatus(ctx context.Context, tenant id.Tenant, isSuspended bool, since time.Time) error {
	if t.now().Sub(since).Abs() >= tenantStatusTTL {
		return nil
	}
	_, err := t.statuses.Put(ctx, document.KeyOf(tenant.String()), tenantStatus{isSuspended, since}, since.UnixMicro(), since.Add(tenantStatusTTL))
	if err != nil {
		return fmt.Errorf("tenants: apply status of %s: %w", tenant, err)
	}
	return nil
}
