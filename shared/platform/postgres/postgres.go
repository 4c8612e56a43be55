// Package postgres is the database access of a service: one small pool per schema, short transactions, and one tenant at a time.
// No other package opens pools or sets roles, timeouts and tenants.
package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A DB is the database with the rights of one schema's application role. It connects on first use.
type DB struct {
	env    env.Env
	schema string
}

// Open returns the database of a schema. It neither reads configuration nor connects: the first transaction does. Every DB of
// the same schema and environment shares its pool.
func Open(e env.Env, schema string) *DB {
	return &DB{env: e, schema: schema}
}

// Schema returns the name of the schema.
func (d *DB) Schema() string { return d.schema }

// InTx runs f in a transaction without a tenant: tables with row-level security appear empty and reject writes. The transaction
// commits if f returns nil, and is rolled back on an error or a panic.
func (d *DB) InTx(ctx context.Context, f func(Tx) error) error {
	return d.run(ctx, "_app", "", f)
}

// InTenant is InTx within one tenant: only its rows are visible.
func (d *DB) InTenant(ctx context.Context, tenant id.Tenant, f func(Tx) error) error {
	if tenant.IsZero() {
		return errors.New("postgres: InTenant without a tenant")
	}
	return d.run(ctx, "_app", hex.EncodeToString(tenant[:]), f)
}

// InMaintenance is InTx as the schema's maintenance role, whose narrow policies allow listing rows of all tenants. Sweeps,
// prunes and relays find their work with it, and then act within each tenant.
func (d *DB) InMaintenance(ctx context.Context, f func(Tx) error) error {
	return d.run(ctx, "_maintenance", "", f)
}

func (d *DB) pool() (*pgxpool.Pool, error) {
	return env.Once(d.env, "postgres."+d.schema, func() (*pgxpool.Pool, error) {
		c, err := poolConfig(d.env, d.schema)
		if err != nil {
			return nil, fmt.Errorf("postgres: %w", err)
		}
		p, err := pgxpool.NewWithConfig(context.Background(), c) // does not dial, so the context bounds no later connection
		if err != nil {
			return nil, fmt.Errorf("postgres: %w", err)
		}
		poolsOf(d.env).add(p)
		d.env.OnClose(func(context.Context) error { p.Close(); return nil })
		return p, nil
	})
}
