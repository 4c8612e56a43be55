package hotel

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Tenant is a hotel company with its own site, as the tenant service describes it.
type Tenant struct {
	ID             id.Tenant        `json:"tenantId"`
	Slug           string           `json:"slug"`
	BrandName      string           `json:"brandName"`
	BrandTagline   string           `json:"brandTagline,omitzero"`
	Domains        []string         `json:"domains"`
	Status         string           `json:"status"`
	Currency       money.Currency   `json:"currency"`
	Currencies     []money.Currency `json:"currencies"`
	Locales        []locale.Tag     `json:"locales"`
	PaymentMethods []Method         `json:"paymentMethods"`
	ConfigVersion  int              `json:"configVersion"`
	Settings       Settings         `json:"settings"`

	stale bool // a stale entry, because the tenant service was unavailable
}

// Suspended reports whether the tenant is suspended.
func (t Tenant) Suspended() bool { return t.Status == suspended }

const suspended = "suspended"

// Accepts reports whether the tenant accepts the payment method.
func (t Tenant) Accepts(m Method) bool { return slices.Contains(t.PaymentMethods, m) }

// Tenants is the client of the tenant service, with its cache.
type Tenants struct {
	directory
	client *upstream.Client
}

// OpenTenants returns the client.
func OpenTenants(e env.Env) *Tenants {
	return &Tenants{openDirectory(e), upstream.Open(e, "tenant", upstream.Policy{Timeout: 400 * time.Millisecond})}
}

// fetch calls the tenant service with a slug, a domain or an id.
func (t *Tenants) fetch(ctx context.Context, ref string) (found Tenant, err error) {
	err = t.client.Get(ctx, "/tenants/"+url.PathEscape(ref), nil, &found)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return found, ErrUnknownTenant
	case err != nil:
		return found, fmt.Errorf("tenants: find: %w", err)
	case found.ID.IsZero() || len(found.Locales) == 0 || len(found.Currencies) == 0:
		return found, fault.ErrUpstreamUnavailable.Because(errors.New("tenants: find: incomplete"))
	}
	return found, nil
}
