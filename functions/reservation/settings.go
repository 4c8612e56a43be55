package reservation

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// How long a hold may last, and lasts where its tenant does not say.
const (
	minHold   = 120 * time.Second
	usualHold = 600 * time.Second
	maxHold   = 1800 * time.Second
)

// How many hours after the day of arrival a guest is awaited at most, and where the tenant does not say.
const (
	usualGrace = 6
	maxGrace   = 720
)

// Settings are what a tenant decides for its reservations.
type Settings struct {
	HoldTTL     time.Duration
	NoShowGrace int    // hours
	Region      string // where the tenant's data must stay; empty: not known
}

// Tenants knows the settings of tenants: for a minute, and longer while the tenant service does not answer.
type Tenants struct {
	known *staleCache[id.Tenant, Settings]
}

// OpenTenants opens the client. All functions of an instance share what it knows.
func OpenTenants(e env.Env) Tenants {
	known, _ := env.Once(e, "reservation.tenants", func() (*staleCache[id.Tenant, Settings], error) { // nothing here can fail
		client := upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond})
		ask := func(ctx context.Context, tenant id.Tenant) (Settings, error) { return askSettings(ctx, client, tenant) }
		return newStaleCache(e.Now, time.Minute, ask), nil
	})
	return Tenants{known}
}

// Settings never fails: what is not known is as usual, except the region, which is empty.
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

// bounded keeps a tenant's wish within what the platform allows.
func bounded(seconds int) time.Duration {
	if seconds == 0 {
		return usualHold
	}
	return min(max(time.Duration(seconds)*time.Second, minHold), maxHold)
}
