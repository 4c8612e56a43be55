// Package listingindexed invalidates the cached data of a hotel, and of searches around it, after the search service has indexed it.
package listingindexed

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.search_aggregation.listing.indexed.v1.
var Function = consumer.Event(fn.Spec{
	Name:    "consumer-listingindexed",
	Subject: "melmastoon.search_aggregation.listing.indexed.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Indexed is the part of the event that this function reads.
type Indexed struct {
	Property id.Property `json:"propertyId"`
	Cell     string      `json:"geoCell"`
}

// invalidator invalidates cached data about hotels.
type invalidator interface {
	InvalidateListing(ctx context.Context, property id.Property, geoCell string) error
}

type handler struct{ hotels invalidator }

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Indexed], error) {
	return (&handler{search.OpenInvalidator(e)}).handle, nil
}

// handle needs no inbox: a duplicate event only causes one more fetch.
func (h *handler) handle(ctx context.Context, e event.Event[Indexed]) error {
	return h.hotels.InvalidateListing(ctx, e.Payload.Property, e.Payload.Cell)
}
