package search

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
)

// An Invalidator invalidates cached data about hotels when events report changes.
type Invalidator struct {
	tenants  *Tenants
	listings *Listings
	brands   *Brands
	env      env.Env
}

// OpenInvalidator opens the caches. It calls no service.
func OpenInvalidator(e env.Env) *Invalidator {
	return &Invalidator{
		tenants:  OpenTenants(e),
		listings: OpenListings(e),
		brands:   OpenBrands(e),
		env:      e,
	}
}

// ApplyStatus records that a tenant was suspended or reinstated at a time, and invalidates all cached data of the tenant. An older
// event than the last one does not change the status.
func (i *Invalidator) ApplyStatus(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error {
	if err := i.tenants.Apply(ctx, tenant, suspended, since); err != nil {
		return err
	}
	return i.invalidate(ctx, ofTenant(tenant))
}

// InvalidateListing invalidates the cached data of a hotel, the lists and maps that show it, and those of places around its cell.
func (i *Invalidator) InvalidateListing(ctx context.Context, property id.Property, geoCell string) error {
	if err := i.listings.Indexed(ctx, property, geoCell); err != nil {
		return err
	}
	return i.invalidate(ctx, ofListing(property))
}

// InvalidateBrand invalidates the cached brand of a tenant.
func (i *Invalidator) InvalidateBrand(ctx context.Context, tenant id.Tenant) error {
	return i.brands.Changed(ctx, tenant)
}

func (i *Invalidator) invalidate(ctx context.Context, what cache.Epoch) error {
	if err := cache.Invalidate(ctx, i.env, what); err != nil {
		return fmt.Errorf("invalidator: %w", err)
	}
	return nil
}
