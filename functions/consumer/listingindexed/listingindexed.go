// Package listingindexed shows a hotel as the search service knows it anew.
package listingindexed

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function hears melmastoon.search_aggregation.listing.indexed.v1.
var Function = consumer.Event(fn.Spec{
	Name:    "consumer-listingindexed",
	Subject: "melmastoon.search_aggregation.listing.indexed.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// An Indexed listing is the part of the event that is read here. Where it is, the pages that show it say themselves.
type Indexed struct {
	Property id.Property `json:"propertyId"`
}

// memory is what is kept of hotels.
type memory interface {
	Indexed(context.Context, id.Property) error
}

type handler struct{ hotels memory }

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Indexed], error) {
	return (&handler{consumer.OpenMemory(e)}).handle, nil
}

// handle needs no inbox: heard twice, the event costs one question more.
func (h *handler) handle(ctx context.Context, e event.Event[Indexed]) error {
	return h.hotels.Indexed(ctx, e.Payload.Property)
}
