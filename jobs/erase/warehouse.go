package erase

import (
	"context"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Warehouse stores the published telemetry for analytics. Its rows are keyed by guest session.
type Warehouse interface {
	// Name returns the name of the data set, for receipts.
	Name() string
	// Tables returns the tables with a column for the guest session. It is an error if there are none.
	Tables(context.Context) ([]string, error)
	// Count returns the number of rows of each of the sessions that has rows.
	Count(ctx context.Context, table string, sessions []id.GuestSession) (map[id.GuestSession]int64, error)
	// Delete deletes the rows of the sessions.
	Delete(ctx context.Context, table string, sessions []id.GuestSession) error
}

// WarehouseKey is the key of the warehouse in an Env. Without it no warehouse is configured.
var WarehouseKey = env.NewKey[Warehouse]("warehouse")

// noWarehouse is what a receipt says if no warehouse is configured.
const noWarehouse = "not configured"
