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
	"melmastoon.ghasi.io/shared/stay"
)

// The inventory store and its requests.
type (
	// Inventory stores allocations of rooms.
	Inventory = inventory.Inventory
	// Hold requests rooms of one property for one stay.
	Hold = inventory.Hold
	// Claim is the part of a hold for one room type.
	Claim = inventory.Claim
)

// The errors of a hold and of its commit.
var (
	ErrSoldOut  = inventory.ErrSoldOut
	ErrHoldOver = inventory.ErrHoldOver
)

// OpenInventory opens the store of allocations.
func OpenInventory(e env.Env) Inventory { return inventory.Open(e) }

// Search returns a function that searches a city for a room for two adults, and returns how many hotels are on the first page and in all.
func Search(e env.Env, city string, from stay.Date, sort string) func(context.Context) (page, total int, err error) {
	q := search.Query{Where: search.Where{Mode: "city", City: city}, Dates: search.Dates{CheckIn: from, CheckOut: from.AddDays(3)},
		Party: search.Travellers{Adults: 2, Rooms: 1}}
	listings := search.OpenListings(e)
	return func(ctx context.Context) (int, int, error) {
		found, total, err := listings.Search(ctx, q, search.Slice{Sort: search.Sort(sort), Limit: 20, Currency: "USD"})
		return len(found), total, err
	}
}

// Index updates a hotel in the search index after a test has changed its rooms. It appends no event.
func Index(ctx context.Context, e env.Env, tenant id.Tenant, p id.Property) error {
	return postgres.Open(e, standin.Schema).InTenant(ctx, tenant, func(tx postgres.Tx) error {
		_, err := search.IndexQuietly(ctx, tx, tenant, &p)
		return err
	})
}
