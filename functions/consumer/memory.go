package consumer

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Memory invalidates what this service has cached of hotels, when an event says that it has changed.
type Memory struct {
	tenants     *Tenants
	listings    *Listings
	brands      *Brands
	generations cache.Epochs
}

// OpenMemory opens it. No service is asked.
func OpenMemory(e env.Env) *Memory {
	return &Memory{
		tenants:     OpenTenants(e),
		listings:    OpenListings(e),
		brands:      OpenBrands(e),
		generations: cache.OpenGenerations(e),
	}
}

// Stands notes that a hotel company was suspended or reinstated at a moment, and has everything that is kept of it asked
// for anew. What is older than what was heard before does not change how it stands.
func (m *Memory) Stands(ctx context.Context, tenant id.Tenant, suspended bool, since time.Time) error {
	if err := m.tenants.Apply(ctx, tenant, suspended, since); err != nil {
		return err
	}
	return m.forget(ctx, cache.OfTenant(tenant))
}

// Indexed has what is kept of a hotel, and the lists that show it, asked for anew.
func (m *Memory) Indexed(ctx context.Context, property id.Property) error {
	if err := m.listings.Indexed(ctx, property); err != nil {
		return err
	}
	return m.forget(ctx, ofListing(property))
}

// Repainted has a hotel company's look asked for anew.
func (m *Memory) Repainted(ctx context.Context, tenant id.Tenant) error {
	return m.brands.Changed(ctx, tenant)
}

func (m *Memory) forget(ctx context.Context, what cache.Epoch) error {
	if err := m.generations.Invalidate(ctx, what); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}
