// Package configuretenant changes the configuration of a tenant.
package configuretenant

import (
	"context"
	"fmt"
	"math"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves PATCH /sandbox/tenant/v1/tenants/{tenantId}/config.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-configuretenant",
	Route:     "PATCH /sandbox/tenant/v1/tenants/{tenantId}/config",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{directory.TenantConfigUpdatedV1, directory.TenantSettingsChangedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request is a partial update: absent members do not change.
type Request struct {
	Tenant         id.Tenant                    `path:"tenantId"`
	BrandName      fn.Maybe[string]             `json:"brandName"`
	BrandTagline   fn.Maybe[string]             `json:"brandTagline"`
	Currencies     fn.Maybe[[]money.Currency]   `json:"currencies"`
	Locales        fn.Maybe[[]locale.Tag]       `json:"locales"`
	PaymentMethods fn.Maybe[[]standin.Method]   `json:"paymentMethods"`
	Settings       fn.Maybe[directory.Settings] `json:"settings"`
}

// Validate rejects a site without a name, a language or a payment method, and holds that are too short.
func (r *Request) Validate() error {
	if name, given := r.BrandName.Get(); given && name == "" {
		return standin.Refuse("/brandName", "length", "Must not be empty.")
	}
	if tags, given := r.Locales.Get(); given && len(tags) == 0 {
		return standin.Refuse("/locales", "count", "Must list at least one language.")
	}
	if methods, given := r.PaymentMethods.Get(); given && len(methods) == 0 {
		return standin.Refuse("/paymentMethods", "count", "Must list at least one payment method.")
	}
	if s, given := r.Settings.Get(); given {
		if err := standin.ValidateHold(s.HoldTTLSeconds); err != nil {
			return standin.Refuse("/settings/holdTtlSeconds", "range", err.Error())
		}
		switch {
		case s.NoShowGraceHours < 0 || s.NoShowGraceHours > stay.MaxGraceHours:
			return standin.Refuse("/settings/noShowGraceHours", "range", fmt.Sprintf("Must be 0 to %d hours.", stay.MaxGraceHours))
		case s.CancellationPolicyVersion < 0 || s.CancellationPolicyVersion > math.MaxInt32:
			return standin.Refuse("/settings/cancellationPolicyVersion", "range", "Must be 0 to 2147483647.")
		}
	}
	return nil
}

// A Response is the updated tenant.
type Response = directory.Tenant

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	tenants := directory.OpenTenants(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return tenants.Configure(ctx, c.In.Tenant, directory.Config{
			BrandName: c.In.BrandName, BrandTagline: c.In.BrandTagline, Currencies: c.In.Currencies,
			Locales: c.In.Locales, PaymentMethods: c.In.PaymentMethods, Settings: c.In.Settings,
		})
	}, nil
}
