package pricing

import (
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
)

// RatePlanPublishedV1 is the event of a rate plan whose prices were published.
var RatePlanPublishedV1 = standin.Subject("pricing-service", "pricing.rate_plan.published", event.Operational, event.Year)

func ratePlanPublished(p PublishedPlan) event.Draft {
	return event.Draft{Subject: RatePlanPublishedV1, Tenant: p.Tenant, OrderingKey: p.Tenant.String() + ":" + p.Property.String(),
		AggregateVersion: p.Version, Payload: p}
}
