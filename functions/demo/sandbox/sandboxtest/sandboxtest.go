// Package sandboxtest names stores of the sandbox for tests and benchmarks outside it, which cannot import the domain.
package sandboxtest

import (
	"context"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// The types of the inventory store and of the search index.
type (
	// Inventory stores allocations of rooms.
	Inventory = inventory.Inventory
	// Hold requests rooms of one property for one stay.
	Hold = inventory.Hold
	// Claim is the part of a hold for one room type.
	Claim = inventory.Claim
	// Query is a search.
	Query = search.Query
	// Where is the area to search.
	Where = search.Where
	// Dates are the nights of a stay.
	Dates = search.Dates
	// Travellers are the guests of a search.
	Travellers = search.Travellers
	// Slice is a page of the results and their order.
	Slice = search.Slice
	// Sort is the order of results.
	Sort = search.Sort
)

// The orders that benchmarks compare.
const (
	Recommended = search.Recommended
	PriceUp     = search.PriceUp
)

// The errors of a hold and of its commit.
var (
	ErrSoldOut  = inventory.ErrSoldOut
	ErrHoldOver = inventory.ErrHoldOver
)

// OpenInventory opens the store of allocations.
func OpenInventory(e env.Env) Inventory { return inventory.Open(e) }

// OpenListings opens the search index.
func OpenListings(e env.Env) search.Listings { return search.OpenListings(e) }

// Index updates a hotel in the search index after a test has changed its rooms. It appends no event.
func Index(ctx context.Context, e env.Env, tenant id.Tenant, p id.Property) error {
	return postgres.Open(e, standin.Schema).InTenant(ctx, tenant, func(tx postgres.Tx) error {
		_, err := search.IndexQuietly(ctx, tx, tenant, &p)
		return err
	})
}
