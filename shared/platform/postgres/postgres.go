// Package postgres is the database of a service: one small pool per schema, short transactions, and one tenant
// at a time. Nobody else opens pools or sets roles, time-outs and tenants.
package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A DB is the database as one schema's application role sees it. It connects when it is first used.
type DB struct {
	env    env.Env
	schema string
}

// Open names the database of a schema. It neither reads configuration nor connects: the first transaction does,
// and every DB of the same schema and environment shares its pool.
func Open(e env.Env, schema string) *DB {
	return &DB{env: e, schema: schema}
}

// Schema is the schema that the DB was opened for.
func (d *DB) Schema() string { return d.schema }

// InTx runs f in a transaction with no tenant set: tables under row-level security look empty and refuse writes.
// The transaction commits when f returns nil, and is rolled back on an error or a panic.
func (d *DB) InTx(ctx context.Context, f func(Tx) error) error {
	return d.run(ctx, scope{}, f)
}

// InTenant is InTx inside one tenant: its rows are the only ones there are.
func (d *DB) InTenant(ctx context.Context, tenant id.Tenant, f func(Tx) error) error {
	if tenant.IsZero() {
		return errors.New("postgres: InTenant without a tenant")
	}
	return d.run(ctx, scope{tenant: tenant}, f)
}

// InMaintenance is InTx as the schema's maintenance role, which by its own narrow policies may list rows of all
// tenants. Sweeps, prunes and relays find their work with it, then act inside each tenant.
func (d *DB) InMaintenance(ctx context.Context, f func(Tx) error) error {
	return d.run(ctx, scope{role: d.schema + "_maintenance"}, f)
}

// Close gives the connections back, once all transactions have ended. Env.Close does the same.
func (d *DB) Close() {
	if p, err := d.pool(); err == nil {
		p.Close()
	}
}

func (d *DB) pool() (*pgxpool.Pool, error) {
	return env.Once(d.env, "postgres."+d.schema, func() (*pgxpool.Pool, error) {
		c, err := poolConfig(d.env, d.schema)
		if err != nil {
			return nil, fmt.Errorf("postgres: %w", err)
		}
		p, err := pgxpool.NewWithConfig(context.Background(), c) // dials nothing: the context bounds no later connection
		if err != nil {
			return nil, fmt.Errorf("postgres: %w", err)
		}
		poolsOf(d.env).add(p)
		d.env.OnClose(func(context.Context) error { p.Close(); return nil })
		return p, nil
	})
}
