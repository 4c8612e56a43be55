package tenantbooking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/cache"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

// A directory remembers which hotels there are. A hotel has several names and one entry: names come to it by its id.
type directory struct {
	names     *cache.Cache[id.Tenant]
	entries   *cache.Cache[Tenant]
	standings document.Collection[standing]
	now       func() time.Time
}

func openDirectory(e env.Env) directory {
	return directory{
		cache.Open[id.Tenant](e, "slug", cache.Policy{Fresh: time.Hour, Stale: time.Hour}),
		cache.Open[Tenant](e, "tenant", front),
		document.Open[standing](e, "tenant-standing"),
		e.Now,
	}
}

// A standing is what the world has told of a hotel last: whether it is suspended.
type standing struct {
	Suspended bool      `json:"suspended"`
	Since     time.Time `json:"since"`
}

// standingLife is longer than any remembered hotel serves: by then the tenant service itself has been asked again.
const standingLife = time.Hour

// Find knows a hotel by its slug, its domain or its id. One that does not exist is ErrUnknownTenant.
func (t *Tenants) Find(ctx context.Context, ref string) (Tenant, error) {
	if ref == "" {
		return Tenant{}, ErrUnknownTenant
	}
	found, err := t.remember(ctx, ref)
	if errors.Is(err, document.ErrNoStore) || errors.Is(err, errMoved) {
		found, err = t.ask(ctx, ref)
	}
	if err != nil {
		return Tenant{}, err
	}
	return t.stands(ctx, found), nil
}

// errMoved is for a name that is another hotel's than when it was remembered. It is a refusal: no old entry answers instead.
var errMoved = fault.New(fault.NotFound, "TENANT.MOVED", ErrUnknownTenant.Detail)

// remember finds the entry by the name. The entry is asked for only after its generation is known: what is heard of the
// hotel meanwhile makes it stale.
func (t *Tenants) remember(ctx context.Context, ref string) (Tenant, error) {
	known, _, err := t.names.Fetch(ctx, document.KeyOf(ref), nil, func(ctx context.Context) (id.Tenant, error) {
		found, err := t.ask(ctx, ref)
		return found.ID, err
	})
	if err != nil {
		return Tenant{}, err
	}
	found, _, err := t.entries.Fetch(ctx, document.KeyOf(known.String()), []cache.Generation{cache.OfTenant(known)},
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
	return found, err
}

func (t Tenant) isCalled(ref string) bool {
	return ref == t.Slug || ref == t.ID.String() || slices.Contains(t.Domains, ref)
}

// stands is the hotel with what was heard of it since it was asked for. That nothing can be looked up changes nothing.
func (t *Tenants) stands(ctx context.Context, found Tenant) Tenant {
	heard, ok, err := t.standings.Get(ctx, document.KeyOf(found.ID.String()))
	if err == nil && ok {
		found.Status = "active"
		if heard.Suspended {
			found.Status = suspended
		}
	}
	return found
}

// Hear notes that the hotel was suspended or reinstated at a moment. What is older than what was heard before changes nothing.
func (t *Tenants) Hear(ctx context.Context, tenant id.Tenant, isSuspended bool, since time.Time) error {
	_, err := t.standings.Put(ctx, document.KeyOf(tenant.String()), standing{isSuspended, since}, since.UnixMicro(), t.now().Add(standingLife))
	if err != nil {
		return fmt.Errorf("tenants: hear of %s: %w", tenant, err)
	}
	return nil
}

// origins are the hotel's own sites: their pages may call for their guests, wherever the call goes.
func (d *door) origins(ctx context.Context, r *http.Request) []string {
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
