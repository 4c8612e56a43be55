package consumer

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Memory invalidates cached data about hotels when events report changes.
type Memory struct {
	tenants     *Tenants
	listings    *Listings
	brands      *Brands
	generations cache.Epochs
}

// OpenMemory opens the caches. It calls no service.
func OpenMemory(e env.Env) *Memory {
	return &Memory{
		tenants:     OpenTenants(e),
		listings:    OpenListings(e),
		brands:      OpenBrands(e),
		generations: cache.OpenGenerations(e),
	}
}

// Stands records that a tenant was suspended or reinstated at a time, and invalidates all cached data of the tenant. An older
// event than the last one does not change the status.
func (m *Memory) Stands(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error {
	if err := m.tenants.Apply(ctx, tenant, suspended, since); err != nil {
		return err
	}
	return m.forget(ctx, cache.OfTenant(tenant))
}

// Indexed invalidates the cached data of a hotel and the lists that show it.
func (m *Memory) Indexed(ctx context.Context, property id.Property) error {
	if err := m.listings.Indexed(ctx, property); err != nil {
		return err
	}
	return m.forget(ctx, ofListing(property))
}

// Repainted invalidates the cached brand of a tenant.
func (m *Memory) Repainted(ctx context.Context, tenant id.Tenant) error {
	return m.brands.Changed(ctx, tenant)
}

func (m *Memory) forget(ctx context.Context, what cache.Epoch) error {
	if err := m.generations.Invalidate(ctx, what); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}
