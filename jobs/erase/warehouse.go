package erase

import (
	"context"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Table is a table of the warehouse with one of the Columns. A table with several of them is listed once for each.
type Table struct{ Name, Column string }

// Columns are the columns by which the rows of a guest are found. They have the names of the members in the payloads of events.
var Columns = []string{"draftId", "guestSessionId", "reservationId", "sessionId"}

// A Warehouse stores the published telemetry for analytics.
type Warehouse interface {
	// Name returns the name of the data set, for receipts.
	Name() string
	// Tables returns the tables with one of the Columns. It is an error if there are none.
	Tables(context.Context) ([]Table, error)
	// Count returns the number of rows by id. Ids without rows are absent.
	Count(ctx context.Context, table Table, ids []string) (map[string]int64, error)
	// Delete deletes the rows of the ids from the table.
	Delete(ctx context.Context, table Table, ids []string) error
}

// WarehouseKey is the key of the warehouse in an Env. Without it no warehouse is configured.
var WarehouseKey = env.NewKey[Warehouse]("warehouse")

// noWarehouse is what a receipt says if no warehouse is configured.
const noWarehouse = "not configured"
