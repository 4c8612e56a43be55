// Package standin holds what several stand-ins share: the schema, owners, errors, and the values of hotels and parties.
package standin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// The errors of several stand-ins besides the general ones.
var (
	ErrTenantUnknown = fault.New(fault.NotFound, "TENANT.UNKNOWN", "No hotel has this address.")
	ErrCurrency      = fault.New(fault.Unprocessable, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", "Prices are not available in this currency.")
)

// Schema is the database schema of the sandbox.
const Schema = "sandbox"

// A Store is the database and the outbox of its events.
type Store struct {
	DB     *postgres.DB
	Outbox *outbox.Outbox
}

// OpenStore opens both.
func OpenStore(e env.Env) Store {
	db := postgres.Open(e, Schema)
	return Store{db, outbox.Open(e, db)}
}

// Refuse returns a validation error for one member of a request.
func Refuse(pointer, rule, message string) error {
	return fault.ErrValidation.With(fault.Violation{Pointer: pointer, Rule: rule, Message: message})
}

// Owner returns the tenant of a key. It uses the maintenance role, which may read ownership only, because the
// platform's own routes name a thing without its tenant. Everything else is read in that tenant's context.
func Owner(ctx context.Context, db *postgres.DB, sql string, key any) (tenant id.Tenant, err error) {
	err = db.InMaintenance(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, sql, pgx.StrictNamedArgs{"key": key}).Scan(&tenant)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return tenant, fault.ErrNotFound
	}
	if err != nil {
		return tenant, fmt.Errorf("sandbox: owner of %v: %w", key, err)
	}
	return tenant, nil
}

// PropertyOwner returns the tenant of a property.
func PropertyOwner(ctx context.Context, db *postgres.DB, p id.Property) (id.Tenant, error) {
	return Owner(ctx, db, `SELECT tenant_id FROM sandbox.properties WHERE property_id = @key`, p)
}

// PublicURL returns the public address of the sandbox's pages from PUBLIC_URL.
func PublicURL(e env.Env) (string, error) {
	var c struct {
		Public string `env:"PUBLIC_URL,required"`
	}
	if err := e.Load(&c); err != nil {
		return "", fmt.Errorf("pages: %w", err)
	}
	return c.Public, nil
}

// Subject returns version 1 of a subject that one of the platform's services publishes.
func Subject(producer, name, class string, kept time.Duration) event.Subject {
	return event.Subject{
		Name: "melmastoon." + name + ".v1", Version: 1, Producer: producer,
		SchemaURI: "https://schemas.melmastoon.io/" + strings.ReplaceAll(name, ".", "/") + "/v1.json",
		Retention: event.Retention{Class: class, Period: kept},
	}
}

// OrderingKey orders the events of one reservation within a subject.
func OrderingKey(t id.Tenant, r id.Reservation) string { return t.String() + ":" + r.String() }
