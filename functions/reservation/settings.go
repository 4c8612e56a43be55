package reservation

import (
	"context"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/upstream"
)

// How long a hold may last, and lasts where its tenant does not say.
const (
	shortestHold = 120 * time.Second
	usualHold    = 600 * time.Second
	longestHold  = 1800 * time.Second
)

// Settings are what a tenant decides for its reservations.
type Settings struct {
	HoldTTL time.Duration
	Region  string // where the tenant's data must stay
}

// Tenants knows the settings of tenants: for a minute, and longer while the tenant service does not answer.
type Tenants struct {
	client *upstream.Client
	now    func() time.Time

	mu    sync.Mutex
	known map[id.Tenant]knownSettings
}

type knownSettings struct {
	Settings
	fresh time.Time // until then they are not asked for again
}

// OpenTenants opens the client. All functions of an instance share what it knows.
func OpenTenants(e env.Env) *Tenants {
	t, _ := env.Once(e, "reservation.tenants", func() (*Tenants, error) { // nothing here can fail
		client := upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond})
		return &Tenants{client: client, now: e.Now, known: map[id.Tenant]knownSettings{}}, nil
	})
	return t
}

// Settings never fails: what is not known is as usual.
func (t *Tenants) Settings(ctx context.Context, tenant id.Tenant) Settings {
	t.mu.Lock()
	known, ok := t.known[tenant]
	t.mu.Unlock()
	if ok && t.now().Before(known.fresh) {
		return known.Settings
	}
	asked, err := t.ask(ctx, tenant)
	if err != nil && !ok {
		return Settings{HoldTTL: usualHold}
	}
	if err != nil {
		asked = known.Settings
	}
	t.remember(tenant, asked)
	return asked
}

func (t *Tenants) ask(ctx context.Context, tenant id.Tenant) (Settings, error) {
	var out struct {
		Region   string `json:"region"`
		Settings struct {
			HoldTTLSeconds int `json:"holdTtlSeconds"`
		} `json:"settings"`
	}
	if err := t.client.Get(ctx, "/tenants/"+tenant.String(), nil, &out); err != nil {
		return Settings{}, err
	}
	return Settings{HoldTTL: bounded(out.Settings.HoldTTLSeconds), Region: out.Region}, nil
}

// bounded keeps a tenant's wish within what the platform allows.
func bounded(seconds int) time.Duration {
	if seconds == 0 {
		return usualHold
	}
	return min(max(time.Duration(seconds)*time.Second, shortestHold), longestHold)
}

// mostTenants bounds what one instance remembers; forgetting costs a question.
const mostTenants = 10_000

func (t *Tenants) remember(tenant id.Tenant, s Settings) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= mostTenants {
		clear(t.known)
	}
	t.known[tenant] = knownSettings{s, t.now().Add(time.Minute)}
}
