// Package publishrateplan sets the prices of a rate plan.
package publishrateplan

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/pricing/v1/rate-plans/{ratePlanId}/publish.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-publishrateplan",
	Route:     "POST /sandbox/pricing/v1/rate-plans/{ratePlanId}/publish",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{pricing.RatePlanPublishedV1, search.ListingIndexedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request is the price of a room per weekday, Monday first, in the tenant's own currency.
type Request struct {
	RatePlan id.RatePlan   `path:"ratePlanId"`
	Weekdays []money.Micro `json:"weekdayMicro"`
}

const (
	weekdays = 7
	dearest  = 1_000_000_000_000_000 // micro units: a thousand million of any currency
)

// Validate requires seven prices within bounds.
func (r *Request) Validate() error {
	if len(r.Weekdays) != weekdays {
		return standin.Refuse("/weekdayMicro", "count", "Must list seven days.")
	}
	for _, amount := range r.Weekdays {
		if amount <= 0 || amount > dearest {
			return standin.Refuse("/weekdayMicro", "range", "Must be a price above 0.")
		}
	}
	return nil
}

// A Response is the published plan.
type Response = pricing.PublishedPlan

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	rates := pricing.OpenRates(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		return rates.Publish(ctx, c.In.RatePlan, c.In.Weekdays)
	}, nil
}
