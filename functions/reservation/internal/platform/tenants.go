package platform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A SettingsChange holds the settings of a tenant as of ChangedAt, as the tenant service published them.
type SettingsChange struct {
	HoldTTLSeconds   int       `json:"holdTtlSeconds" db:"hold_ttl_seconds"`
	NoShowGraceHours int       `json:"noShowGraceHours" db:"no_show_grace_hours"`
	ChangedAt        time.Time `json:"changedAt" db:"changed_at"`
}

// settingsAge is the time after which every process uses changed settings. An event reaches one process; the others read
// the table.
const settingsAge = 15 * time.Second

// Tenants knows the settings of tenants: the last published change if there is one, otherwise what the tenant service
// answers. It caches changes for settingsAge and answers for a minute, and longer while their source fails.
type Tenants struct {
	db       *postgres.DB
	answered *staleCache[id.Tenant, quotes.Settings]
	changed  *staleCache[id.Tenant, *SettingsChange] // nil: none published
}

// OpenTenants opens the store and the client. All functions of a process share the caches.
func OpenTenants(e env.Env) Tenants {
	tenants, _ := env.Once(e, "reservation.tenants", func() (Tenants, error) { // cannot fail
		client := upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond})
		ask := func(ctx context.Context, tenant id.Tenant) (quotes.Settings, error) {
			return askSettings(ctx, client, tenant)
		}
		t := Tenants{db: postgres.Open(e, service.Schema), answered: newStaleCache(e.Now, time.Minute, ask)}
		t.changed = newStaleCache(e.Now, settingsAge, t.readChange)
		return t, nil
	})
	return tenants
}

// Settings returns the settings of a tenant. It never fails: if they are unknown, it returns the defaults and an empty
// region.
func (t Tenants) Settings(ctx context.Context, tenant id.Tenant) quotes.Settings {
	s, err := t.answered.get(ctx, tenant)
	if err != nil {
		s = quotes.DefaultSettings()
	}
	if c, err := t.changed.get(ctx, tenant); err == nil && c != nil {
		s.HoldTTL, s.NoShowGrace = quotes.HoldTTL(c.HoldTTLSeconds), quotes.NoShowGrace(c.NoShowGraceHours)
	}
	return s
}

// Change stores a change, unless a later one is stored.
func (t Tenants) Change(ctx context.Context, tx postgres.Tx, tenant id.Tenant, c SettingsChange) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO reservation.tenant_settings AS known (tenant_id, hold_ttl_seconds, no_show_grace_hours, changed_at)
		VALUES (@tenant, @ttl, @grace, @changedAt)
		ON CONFLICT (tenant_id) DO UPDATE SET hold_ttl_seconds = EXCLUDED.hold_ttl_seconds,
			no_show_grace_hours = EXCLUDED.no_show_grace_hours,
			changed_at = EXCLUDED.changed_at
		WHERE EXCLUDED.changed_at > known.changed_at`,
		pgx.StrictNamedArgs{
			"tenant": tenant, "ttl": c.HoldTTLSeconds, "grace": c.NoShowGraceHours, "changedAt": c.ChangedAt})
	if err != nil {
		return fmt.Errorf("tenants: change settings of %s: %w", tenant, err)
	}
	return nil
}

// readChange returns the last stored change, or nil if there is none.
func (t Tenants) readChange(ctx context.Context, tenant id.Tenant) (change *SettingsChange, err error) {
	err = t.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT hold_ttl_seconds, no_show_grace_hours, changed_at
			FROM reservation.tenant_settings
			WHERE tenant_id = @tenant`, pgx.StrictNamedArgs{"tenant": tenant})
		change, err = pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[SettingsChange])
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tenants: read settings of %s: %w", tenant, err)
	}
	return change, nil
}

func askSettings(ctx context.Context, client *upstream.Client, tenant id.Tenant) (quotes.Settings, error) {
	var out struct {
		Region   string `json:"region"`
		Settings struct {
			HoldTTLSeconds   int  `json:"holdTtlSeconds"`
			NoShowGraceHours *int `json:"noShowGraceHours"`
		} `json:"settings"`
	}
	if err := client.Get(ctx, "/tenants/"+tenant.String(), nil, &out); err != nil {
		return quotes.Settings{}, err
	}
	s := quotes.DefaultSettings()
	s.HoldTTL, s.Region = quotes.HoldTTL(out.Settings.HoldTTLSeconds), out.Region
	if hours := out.Settings.NoShowGraceHours; hours != nil {
		s.NoShowGrace = quotes.NoShowGrace(*hours)
	}
	return s, nil
}
