package erase

import (
	"context"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Table is a table of the warehouse with some of the Columns.
type Table struct {
	Name    string
	Columns []string
}

// An IDs has the ids of a guest by the column in which they are looked for.
type IDs map[string][]string

// in returns those of the ids for which the table has a column.
func (i IDs) in(t Table) IDs {
	found := IDs{}
	for _, column := range t.Columns {
		if len(i[column]) > 0 {
			found[column] = i[column]
		}
	}
	return found
}

// Columns are the columns by which the rows of a guest are found. They have the names of the members in the payloads of events.
var Columns = []string{"draftId", "guestSessionId", "reservationId", "sessionId"}

// A Warehouse stores published events for analytics. It counts and deletes no row of an event of the retention class "regulated", which
// the law requires to keep.
type Warehouse interface {
	// Name returns the name of the data set, for receipts.
	Name() string
	// Tables returns the tables with one of the Columns. It is an error if there are none, or if one does not name the retention class of
	// its events.
	Tables(context.Context) ([]Table, error)
	// CountBy returns the number of rows by the value of one column. Values without rows are absent.
	CountBy(ctx context.Context, table, column string, values []string) (map[string]int64, error)
	// Count returns the number of rows that contain one of the ids. A row with several of them counts once.
	Count(ctx context.Context, table string, ids IDs) (int64, error)
	// Delete deletes the rows that contain one of the ids.
	Delete(ctx context.Context, table string, ids IDs) error
}

// WarehouseKey is the key of the warehouse in an Env. Without it no warehouse is configured.
var WarehouseKey = env.NewKey[Warehouse]("warehouse")

// noWarehouse is what a receipt says if no warehouse is configured.
const noWarehouse = "not configured"
