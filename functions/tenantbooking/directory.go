package tenantbooking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// A directory remembers which hotels there are. A hotel has several names and one entry: names come to it by its id.
type directory struct {
	names     *cache.Cache[id.Tenant]
	entries   *cache.Cache[Tenant]
	standings document.Collection[tenantStatus]
	unknown   *cache.Absent
	now       func() time.Time
}

func openDirectory(e env.Env) directory {
	return directory{
		names:     cache.Open[id.Tenant](e, "slug", cache.Policy{Fresh: time.Hour, Stale: time.Hour}),
		entries:   cache.Open[Tenant](e, "tenant", front),
		standings: document.Open[tenantStatus](e, "tenant-standing"),
		unknown:   cache.OpenAbsent(e, "tenant", unknownLife),
		now:       e.Now,
	}
}

// A tenantStatus is what the world has told of a hotel last: whether it is suspended.
type tenantStatus struct {
	Suspended bool      `json:"suspended"`
	Since     time.Time `json:"since"`
}

// How long a standing decides, from when the hotel came to stand so: what is heard late must not take the place of what came
// after it. By then the tenant service has been asked again, and its answer counts: an event may be lost. While that service
// cannot be asked, the standing decides for longer.
const (
	tenantStatusCounts = 5 * time.Minute
	tenantStatusLife   = 15 * time.Minute
)

const unknownLife = time.Minute // a new hotel is found at most so long after its first visitor

// Find knows a hotel by its slug, its domain or its id. One that does not exist is ErrUnknownTenant.
func (t *Tenants) Find(ctx context.Context, ref string) (Tenant, error) {
	return t.find(ctx, ref, func(id.Tenant) document.Prefetched { return document.Prefetched{} })
}

// find is Find for those who look ahead, as soon as it is known whose name it is.
func (t *Tenants) find(ctx context.Context, ref string, ahead func(id.Tenant) document.Prefetched) (Tenant, error) {
	ref, began := spelled(ref), t.now()
	if !couldBeTenant(ref) || t.unknown.Has(ref) {
		return Tenant{}, ErrUnknownTenant
	}
	known, asked, err := t.named(ctx, ref)
	if err != nil {
		return Tenant{}, err
	}
	ctx = ahead(known).WithPrefetched(ctx)
	if asked != nil && t.entries.Learn(ctx, document.KeyOf(known.String()), []cache.Epoch{cache.OfTenant(known)}, *asked, began) {
		return t.stands(ctx, *asked), nil
	}
	found, err := t.remember(ctx, ref, known)
	if errors.Is(err, errMoved) || errors.Is(err, document.ErrNoStore) {
		found, err = t.ask(ctx, ref)
	}
	if err != nil {
		return Tenant{}, err
	}
	return t.stands(ctx, found), nil
}

// hostName is the form of slugs and domains.
var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?))*$`)
})

// couldBeTenant reports whether a name has the form of a tenant's id, slug or domain. The tenant service is not asked for others.
func couldBeTenant(ref string) bool {
	const longest = 253 // of a domain
	if _, err := id.Parse[id.Tenant](ref); err == nil {
		return true
	}
	return len(ref) <= longest && hostName().MatchString(ref)
}

// errMoved is for a name that is another hotel's than when it was remembered. It is a refusal: no old entry answers instead.
var errMoved = fault.New(fault.NotFound, "TENANT.MOVED", ErrUnknownTenant.Detail)

// named is whose name it is, and the hotel itself where this call had to ask for it.
func (t *Tenants) named(ctx context.Context, ref string) (known id.Tenant, asked *Tenant, err error) {
	ask := func(ctx context.Context) (id.Tenant, error) {
		if t.unknown.Has(ref) { // another request has asked while this one waited
			return id.Tenant{}, ErrUnknownTenant
		}
		found, err := t.ask(ctx, ref)
		switch {
		case err == nil:
			asked = &found
		case errors.Is(err, ErrUnknownTenant):
			t.unknown.Add(ref)
		}
		return found.ID, err
	}
	known, _, err = t.names.Fetch(ctx, document.KeyOf(ref), nil, ask)
	if errors.Is(err, document.ErrNoStore) {
		known, err = ask(ctx)
	}
	return known, asked, err
}

// namesOf are the documents that finding a hotel looks at.
func (t *Tenants) namesOf(known id.Tenant) []document.Name {
	key := document.KeyOf(known.String())
	return append(t.entries.Names(key, cache.OfTenant(known)), t.standings.Name(key))
}

// remember finds the hotel's entry. It is asked for only after its generation is known: what is heard of the hotel meanwhile
// makes it stale.
func (t *Tenants) remember(ctx context.Context, ref string, known id.Tenant) (Tenant, error) {
	found, state, mark, err := t.entries.FetchMarked(ctx, document.KeyOf(known.String()), []cache.Epoch{cache.OfTenant(known)},
		func(ctx context.Context) (Tenant, error) {
			found, err := t.ask(ctx, ref)
			if err == nil && found.ID != known {
				err = errMoved
			}
			return found, err
		})
	if err == nil && !found.isCalled(ref) {
		err = errMoved
	}
	found.mark, found.stale = mark, state == cache.Stale
	return found, err
}

// spelled returns the one spelling of a name: slugs and domains are in lower case, ids as they are.
func spelled(ref string) string {
	if _, err := id.Parse[id.Tenant](ref); err == nil {
		return ref
	}
	return strings.ToLower(ref)
}

func (t Tenant) isCalled(ref string) bool {
	return ref == t.Slug || ref == t.ID.String() || slices.Contains(t.Domains, ref)
}

// stands is the hotel with what was heard of it recently. That nothing can be looked up changes nothing.
func (t *Tenants) stands(ctx context.Context, found Tenant) Tenant {
	heard, ok, err := t.standings.GetPrefetched(ctx, document.KeyOf(found.ID.String()))
	if err == nil && ok && (found.stale || t.now().Sub(heard.Since).Abs() < tenantStatusCounts) {
		found.Status = "active"
		if heard.Suspended {
			found.Status = suspended
		}
	}
	return found
}

// Apply notes that the hotel was suspended or reinstated at a moment. What is older than what was heard before changes nothing,
// nor does an event of a wrong clock, far in the future.
func (t *Tenants) Apply(ctx context.Context, tenant id.Tenant, isSuspended bool, since time.Time) error {
	if t.now().Sub(since).Abs() >= tenantStatusLife {
		return nil
	}
	_, err := t.standings.Put(ctx, document.KeyOf(tenant.String()), tenantStatus{isSuspended, since}, since.UnixMicro(), since.Add(tenantStatusLife))
	if err != nil {
		return fmt.Errorf("tenants: hear of %s: %w", tenant, err)
	}
	return nil
}

// origins are the hotel's own sites: their pages may call for their guests, wherever the call goes.
func (d *middleware) origins(ctx context.Context, r *http.Request) []string {
	found, err := d.tenants.Find(ctx, r.PathValue("tenantSlug"))
	if err != nil {
		return nil
	}
	var origins []string
	for _, domain := range found.Domains {
		origins = append(origins, "https://"+domain)
	}
	return origins
}
