package timeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/services"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// databases are the schemas of the services. The job reads each as the service's own role, within one tenant, so that row-level
// security holds for it as for the functions.
type databases struct {
	schemas map[string]*postgres.DB
	tables  []string
	tenant  id.Tenant // zero: tables with row-level security appear empty
}

// open returns those schemas that the database has: production has no sandbox.
func open(ctx context.Context, e env.Env) (*databases, error) {
	conn, err := postgres.Connect(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("timeline: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, _ := conn.Query(ctx, `
		SELECT schemaname || '.' || tablename FROM pg_catalog.pg_tables
		WHERE schemaname = ANY (@schemas)
		ORDER BY 1`, pgx.StrictNamedArgs{"schemas": services.Schemas})
	d := &databases{schemas: map[string]*postgres.DB{}}
	if d.tables, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, fmt.Errorf("timeline: tables: %w", err)
	}
	for _, table := range d.tables {
		schema, _, _ := strings.Cut(table, ".")
		if d.schemas[schema] == nil {
			d.schemas[schema] = postgres.Open(e, schema)
		}
	}
	if len(d.schemas) == 0 {
		return nil, errors.New("timeline: the database has no schema of these services")
	}
	return d, nil
}

// String returns the schemas and the tenant, for a line of progress.
func (d *databases) String() string {
	of := "no tenant"
	if !d.tenant.IsZero() {
		of = d.tenant.String()
	}
	return fmt.Sprintf("%d tables of %d schemas, of %s", len(d.tables), len(d.schemas), of)
}

// Tables returns the tables of the services.
func (d *databases) Tables(context.Context) ([]string, error) { return d.tables, nil }

// statementTime limits one query in milliseconds. It is longer than that of functions, because an outbox is read as a whole.
const statementTime = "120000"

// Read runs f in a transaction of the service, within the tenant if there is one.
func (d *databases) Read(ctx context.Context, schema string, f func(booking.Querier) error) error {
	db, found := d.schemas[schema]
	if !found {
		return fmt.Errorf("timeline: no schema %s", schema)
	}
	read := func(tx postgres.Tx) error {
		tx.Queue(`SELECT set_config('statement_timeout', $1, true), set_config('transaction_read_only', 'on', true)`, statementTime)
		return f(tx)
	}
	if d.tenant.IsZero() {
		return db.InTx(ctx, read)
	}
	return db.InTenant(ctx, d.tenant, read)
}

// findTenant returns the tenant of the events that name a booking, or the zero tenant if there are none. Outboxes have no row-level
// security. A traveller's session may have events of several tenants.
func (d *databases) findTenant(ctx context.Context, name string) (tenant id.Tenant, err error) {
	var found []id.Tenant
	for schema := range d.schemas {
		err := d.Read(ctx, schema, func(q booking.Querier) error {
			rows, _ := q.Query(ctx, booking.TenantQuery(schema), pgx.StrictNamedArgs{"name": name})
			more, err := pgx.CollectRows(rows, pgx.RowTo[id.Tenant])
			found = append(found, more...)
			return err
		})
		if err != nil {
			return tenant, fmt.Errorf("timeline: tenant of %s: %w", name, err)
		}
	}
	for _, one := range found {
		if !tenant.IsZero() && one != tenant {
			return tenant, command.Usage(fmt.Errorf("%s has events of several tenants; choose one with -tenant, for example %s or %s", name, tenant, one))
		}
		tenant = one
	}
	return tenant, nil
}
