package search

import (
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
)

// ListingIndexedV1 is the event of a listing that was indexed.
var ListingIndexedV1 = standin.Subject("search-aggregation-service", "search_aggregation.listing.indexed", event.Operational, event.Year)

func listingIndexed(x Indexed) event.Draft {
	return event.Draft{Subject: ListingIndexedV1, Tenant: x.Tenant, OrderingKey: x.Tenant.String() + ":" + x.Property.String(),
		AggregateVersion: x.version, Payload: x}
}
