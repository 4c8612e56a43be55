package reservation

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Pricing is the pricing service.
type Pricing struct{ client *upstream.Client }

// OpenPricing opens the client. A quote is never asked for twice: the second price might be another one.
func OpenPricing(e env.Env) Pricing {
	return Pricing{upstream.Open(e, "pricing", upstream.Policy{Timeout: 800 * time.Millisecond})}
}

// Price asks what a stay costs. Whoever asked is told what pricing refuses: it is called there as here.
func (p Pricing) Price(ctx context.Context, tenant id.Tenant, a Ask) (price Price, err error) {
	in := struct {
		Tenant   id.Tenant      `json:"tenantId"`
		Property id.Property    `json:"propertyId"`
		Items    []AskedItem    `json:"items"`
		Stay     Stay           `json:"stayWindow"`
		Currency money.Currency `json:"currency"`
		Promo    string         `json:"promoCode,omitzero"`
	}{tenant, a.Property, a.Items, a.Stay, a.Currency, a.Promo}
	alike := upstream.Pointing(func(member string) (string, bool) { return member, member != "/tenantId" })
	if err := p.client.Post(ctx, "/quotes", in, &price, upstream.Tenant(tenant), alike); err != nil {
		return Price{}, fmt.Errorf("pricing: quote for %s: %w", a.Property, err)
	}
	return price, nil
}
