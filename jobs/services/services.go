// Package services names the schemas of the services and finds those that a database has.
package services

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Schemas are the schemas of all services, in the order of their names.
var Schemas = []string{consumer.Schema, tenantbooking.Schema, reservation.Schema, sandbox.Schema}

// Installed returns those of the schemas that the database has. It returns an error if there are none.
func Installed(ctx context.Context, e env.Env, schemas []string) ([]string, error) {
	conn, err := postgres.Connect(ctx, e)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return InstalledOn(ctx, conn, schemas)
}

// InstalledOn is like Installed, on an open connection.
func InstalledOn(ctx context.Context, conn *pgx.Conn, schemas []string) ([]string, error) {
	rows, _ := conn.Query(ctx, `
		SELECT nspname::text FROM pg_catalog.pg_namespace
		WHERE nspname = ANY(@schemas)
		ORDER BY 1`, pgx.StrictNamedArgs{"schemas": schemas})
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("schemas: %w", err)
	}
	if len(found) == 0 {
		return nil, errors.New("the database has no schema of these services")
	}
	return found, nil
}
