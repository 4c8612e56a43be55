package platform

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/stay"
)

// Pricing is a client of the pricing service.
type Pricing struct{ client *upstream.Client }

// OpenPricing opens the client. It does not retry: a second quote could have another price.
func OpenPricing(e env.Env) Pricing {
	return Pricing{upstream.Open(e, "pricing", upstream.Policy{Timeout: 800 * time.Millisecond})}
}

// Price returns the price of a stay. Violations that pricing reports are passed on, because members have the same names
// there.
func (p Pricing) Price(ctx context.Context, tenant id.Tenant, a quotes.Ask) (price quotes.Price, err error) {
	in := struct {
		Tenant   id.Tenant          `json:"tenantId"`
		Property id.Property        `json:"propertyId"`
		Items    []quotes.AskedItem `json:"items"`
		Stay     stay.Window        `json:"stayWindow"`
		Currency money.Currency     `json:"currency"`
		Promo    string             `json:"promoCode,omitzero"`
	}{tenant, a.Property, a.Items, a.Stay, a.Currency, a.Promo}
	sameMembers := upstream.Pointing(func(member string) (string, bool) { return member, member != "/tenantId" })
	if err := p.client.Post(ctx, "/quotes", in, &price, upstream.Tenant(tenant), sameMembers); err != nil {
		return quotes.Price{}, fmt.Errorf("pricing: quote for %s: %w", a.Property, err)
	}
	return price, nil
}
