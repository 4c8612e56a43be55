package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// newEvents returns the events of a change to a tenant that was stored at that time.
type newEvents func(Tenant, time.Time) []event.Draft

// Suspend closes a tenant's sites. If the tenant is already suspended, the first reason remains.
func (s Tenants) Suspend(ctx context.Context, tenant id.Tenant, reason string) (Tenant, error) {
	return s.change(ctx, tenant, func(t *Tenant) (newEvents, error) {
		if t.Status == suspended {
			return nil, nil
		}
		t.Status = suspended
		return func(t Tenant, at time.Time) []event.Draft { return []event.Draft{tenantSuspended(t, reason, at)} }, nil
	})
}

// Reinstate reopens a suspended tenant's sites.
func (s Tenants) Reinstate(ctx context.Context, tenant id.Tenant) (Tenant, error) {
	return s.change(ctx, tenant, func(t *Tenant) (newEvents, error) {
		if t.Status == active {
			return nil, nil
		}
		t.Status = active
		return func(t Tenant, at time.Time) []event.Draft { return []event.Draft{tenantReinstated(t, at)} }, nil
	})
}

// The statuses of a tenant.
const (
	active    = "active"
	suspended = "suspended"
)

// A Config is a partial update of a tenant's configuration. Absent members do not change.
type Config struct {
	BrandName      fn.Maybe[string]
	BrandTagline   fn.Maybe[string]
	Currencies     fn.Maybe[[]money.Currency]
	Locales        fn.Maybe[[]locale.Tag]
	PaymentMethods fn.Maybe[[]standin.Method]
	Settings       fn.Maybe[Settings]
}

// Configure changes the given members that differ. It publishes no event if nothing differs, and a second one if settings
// for reservations differ.
func (s Tenants) Configure(ctx context.Context, tenant id.Tenant, c Config) (Tenant, error) {
	return s.change(ctx, tenant, func(t *Tenant) (newEvents, error) {
		before := t.Settings
		changed := c.apply(t)
		if !slices.Contains(t.Currencies, t.Currency) {
			return nil, standin.Refuse("/currencies", "own", "The tenant's own currency cannot be taken away.")
		}
		if changed == nil {
			return nil, nil
		}
		t.ConfigVersion++
		return func(t Tenant, at time.Time) []event.Draft {
			all := []event.Draft{tenantConfigured(t, changed, at)}
			if t.Settings != before {
				all = append(all, settingsChanged(t, at))
			}
			return all
		}, nil
	})
}

// apply applies the update and returns the names of the changed members.
func (c Config) apply(t *Tenant) (changed []string) {
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
	}
	note("brandName", set(&t.BrandName, c.BrandName))
	note("brandTagline", set(&t.BrandTagline, c.BrandTagline))
	note("currencies", setList(&t.Currencies, c.Currencies))
	note("locales", setList(&t.Locales, c.Locales))
	note("paymentMethods", setList(&t.PaymentMethods, c.PaymentMethods))
	note("settings", set(&t.Settings, c.Settings))
	return changed
}

func set[T comparable](to *T, wanted fn.Maybe[T]) bool {
	before := *to
	*to = wanted.Or(before)
	return *to != before
}

func setList[T comparable](to *[]T, wanted fn.Maybe[[]T]) bool {
	before := *to
	*to = wanted.Or(before)
	return !slices.Equal(*to, before)
}

// change applies f to a tenant under a row lock and publishes its events in the same transaction. A nil event function
// means no change.
func (s Tenants) change(ctx context.Context, tenant id.Tenant, f func(*Tenant) (newEvents, error)) (t Tenant, err error) {
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		if t, err = lockTenant(ctx, tx, tenant); err != nil {
			return err
		}
		newEvents, err := f(&t)
		if err != nil || newEvents == nil {
			return err
		}
		t.Version++
		at, err := t.update(ctx, tx)
		if err != nil {
			return err
		}
		return s.Outbox.Append(ctx, tx, newEvents(t, at)...)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return t, standin.ErrTenantUnknown
	}
	if _, refused := errors.AsType[*fault.Fault](err); err == nil || refused {
		return t, err
	}
	return t, fmt.Errorf("tenants: change %s: %w", tenant, err)
}

// lockTenant reads a tenant and locks its row until the end of the transaction.
func lockTenant(ctx context.Context, tx postgres.Tx, tenant id.Tenant) (Tenant, error) {
	_, err := tx.Exec(ctx, `SELECT FROM sandbox.tenants WHERE tenant_id = @tenant FOR NO KEY UPDATE`,
		pgx.StrictNamedArgs{"tenant": tenant})
	if err != nil {
		return Tenant{}, err
	}
	return ReadTenant(ctx, tx, tenant)
}

// update stores the mutable columns of a tenant and returns the time of the update.
func (t Tenant) update(ctx context.Context, tx postgres.Tx) (at time.Time, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE sandbox.tenants
		SET status = @status, brand_name = @brand,
			brand_localized = CASE brand_name WHEN @brand THEN brand_localized ELSE '{}' END, -- nobody has translated another name
			brand_tagline = nullif(@tagline, ''), currencies = @currencies,
			locales = @locales, payment_methods = @methods, config_version = @config, hold_ttl_seconds = @ttl,
			no_show_grace_hours = @grace, cancellation_policy_version = @policy, version = @version
		WHERE tenant_id = @tenant
		RETURNING platform.now()`,
		pgx.StrictNamedArgs{"tenant": t.ID, "status": t.Status, "brand": t.BrandName, "tagline": t.BrandTagline,
			"currencies": t.Currencies, "locales": t.Locales, "methods": t.PaymentMethods, "config": t.ConfigVersion,
			"ttl": t.Settings.HoldTTLSeconds, "grace": t.Settings.NoShowGraceHours,
			"policy": t.Settings.CancellationPolicyVersion, "version": t.Version}).Scan(&at)
	return at, err
}
