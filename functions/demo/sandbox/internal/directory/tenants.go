package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the checkout page needs it; a base image may lack it

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Tenant is a hotel company with its own site.
type Tenant struct {
	ID             id.Tenant        `json:"tenantId" db:"tenant_id"`
	Slug           string           `json:"slug" db:"slug"`
	BrandName      string           `json:"brandName" db:"brand_name"`
	BrandTagline   string           `json:"brandTagline,omitzero" db:"brand_tagline"`
	Domains        []string         `json:"domains" db:"domains"`
	Status         string           `json:"status" db:"status"` // active or suspended
	Region         string           `json:"region" db:"region"` // where its data must stay
	Currency       money.Currency   `json:"currency" db:"currency"`
	Currencies     []money.Currency `json:"currencies" db:"currencies"`
	Locales        []locale.Tag     `json:"locales" db:"locales"`
	PaymentMethods []standin.Method `json:"paymentMethods" db:"payment_methods"`
	ConfigVersion  int              `json:"configVersion" db:"config_version"`
	Settings       Settings         `json:"settings" db:"-"`
	Version        int              `json:"-" db:"version"` // of the aggregate, as in its events
}

// Settings are a tenant's settings for reservations.
type Settings struct {
	HoldTTLSeconds            int `json:"holdTtlSeconds"`
	NoShowGraceHours          int `json:"noShowGraceHours"`
	CancellationPolicyVersion int `json:"cancellationPolicyVersion"`
}

// Tenants is the directory of tenants.
type Tenants struct{ standin.Store }

// OpenTenants opens the directory.
func OpenTenants(e env.Env) Tenants { return Tenants{standin.OpenStore(e)} }

// Get returns a tenant by its id, its slug or one of its domains.
func (s Tenants) Get(ctx context.Context, ref string) (t Tenant, err error) {
	tenant, err := s.resolve(ctx, ref)
	if err != nil {
		return t, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		t, err = ReadTenant(ctx, tx.Last(), tenant)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return t, standin.ErrTenantUnknown
	}
	if err != nil {
		return t, fmt.Errorf("tenants: get %s: %w", tenant, err)
	}
	return t, nil
}

// Face returns a tenant's brand name in its languages and the time zone of its property, or UTC without one. It returns
// ErrTenantUnknown for an unknown tenant.
func (s Tenants) Face(ctx context.Context, tenant id.Tenant) (name standin.Name, zone *time.Location, err error) {
	var clock string
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT t.brand_name, t.brand_localized, coalesce(min(p.time_zone), 'UTC')
			FROM sandbox.tenants AS t
			LEFT JOIN sandbox.properties AS p USING (tenant_id)
			WHERE t.tenant_id = @tenant
			GROUP BY t.tenant_id`,
			pgx.StrictNamedArgs{"tenant": tenant}).Scan(&name.Default, &name.Localized, &clock)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return name, nil, standin.ErrTenantUnknown
	}
	if err == nil {
		zone, err = time.LoadLocation(clock)
	}
	if err != nil {
		return name, nil, fmt.Errorf("tenants: face of %s: %w", tenant, err)
	}
	return name, zone, nil
}

func (s Tenants) resolve(ctx context.Context, ref string) (id.Tenant, error) {
	if tenant, err := id.Parse[id.Tenant](ref); err == nil {
		return tenant, nil
	}
	tenant, err := standin.Owner(ctx, s.DB, `
		SELECT tenant_id FROM sandbox.tenants WHERE slug = @key
		UNION ALL
		SELECT tenant_id FROM sandbox.tenant_domains WHERE domain = @key`, strings.ToLower(ref))
	if errors.Is(err, fault.ErrNotFound) {
		return tenant, standin.ErrTenantUnknown
	}
	return tenant, err
}

// ReadTenant reads a tenant in the caller's transaction.
func ReadTenant(ctx context.Context, tx postgres.Tx, tenant id.Tenant) (Tenant, error) {
	rows, _ := tx.Query(ctx, `
		SELECT t.tenant_id, t.slug, t.brand_name, coalesce(t.brand_tagline, '') AS brand_tagline, t.status, t.region,
		       t.currency, t.currencies, t.locales, t.payment_methods, t.config_version, t.version, t.hold_ttl_seconds, t.no_show_grace_hours, t.cancellation_policy_version,
		       ARRAY(SELECT d.domain FROM sandbox.tenant_domains AS d WHERE d.tenant_id = t.tenant_id ORDER BY d.domain) AS domains
		FROM sandbox.tenants AS t
		WHERE t.tenant_id = @tenant`,
		pgx.StrictNamedArgs{"tenant": tenant})
	type row struct {
		Tenant
		HoldTTLSeconds, NoShowGraceHours, CancellationPolicyVersion int
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
	r.Settings = Settings{
		HoldTTLSeconds:            r.HoldTTLSeconds,
		NoShowGraceHours:          r.NoShowGraceHours,
		CancellationPolicyVersion: r.CancellationPolicyVersion,
	}
	return r.Tenant, err
}
