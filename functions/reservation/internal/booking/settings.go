package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Bounds and default of a hold's duration.
const (
	minHold   = 120 * time.Second
	usualHold = 600 * time.Second
	maxHold   = 1800 * time.Second
)

// Default and maximum of the no-show grace, in hours.
const (
	usualGrace = 6
	maxGrace   = 720
)

// Settings are a tenant's settings for reservations.
type Settings struct {
	HoldTTL     time.Duration
	NoShowGrace int    // hours
	Region      string // where the tenant's data must stay; empty: unknown
}

// Tenants is a client of the tenant service. It caches settings for a minute, and longer while the tenant service
// fails.
type Tenants struct {
	known *staleCache[id.Tenant, Settings]
}

// OpenTenants opens the client. All functions of a process share its cache.
func OpenTenants(e env.Env) Tenants {
	known, _ := env.Once(e, "reservation.tenants", func() (*staleCache[id.Tenant, Settings], error) { // cannot fail
		client := upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond})
		ask := func(ctx context.Context, tenant id.Tenant) (Settings, error) { return askSettings(ctx, client, tenant) }
		return newStaleCache(e.Now, time.Minute, ask), nil
	})
	return Tenants{known}
}

// Settings returns the settings of a tenant. It never fails: if they are unknown, it returns the defaults and an empty
// region.
func (t Tenants) Settings(ctx context.Context, tenant id.Tenant) Settings {
	known, err := t.known.get(ctx, tenant)
	if err != nil {
		return Settings{HoldTTL: usualHold, NoShowGrace: usualGrace}
	}
	return known
}

func askSettings(ctx context.Context, client *upstream.Client, tenant id.Tenant) (Settings, error) {
	var out struct {
		Region   string `json:"region"`
		Settings struct {
			HoldTTLSeconds   int  `json:"holdTtlSeconds"`
			NoShowGraceHours *int `json:"noShowGraceHours"`
		} `json:"settings"`
	}
	if err := client.Get(ctx, "/tenants/"+tenant.String(), nil, &out); err != nil {
		return Settings{}, err
	}
	s := Settings{HoldTTL: bounded(out.Settings.HoldTTLSeconds), NoShowGrace: usualGrace, Region: out.Region}
	if hours := out.Settings.NoShowGraceHours; hours != nil {
		s.NoShowGrace = min(max(*hours, 0), maxGrace)
	}
	return s, nil
}

// bounded returns a hold duration within the platform's bounds.
func bounded(seconds int) time.Duration {
	if seconds == 0 {
		return usualHold
	}
	return min(max(time.Duration(seconds)*time.Second, minHold), maxHold)
}
