// Package clickrecorded counts travellers' clicks on hotels, for the order of recommendations and for popularity signals.
package clickrecorded

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.bff.consumer.click.recorded.v1.
var Function = sandbox.PlatformEvent(fn.Spec{
	Name:    "sandbox-clickrecorded",
	Subject: "melmastoon.bff.consumer.click.recorded.v1",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 10 * time.Second,
}, New)

// Clicked is the part of the event that this function reads.
type Clicked struct {
	Property id.Property     `json:"propertyId"`
	Session  id.GuestSession `json:"guestSessionId"`
	At       time.Time       `json:"occurredAt"`
}

type handler struct {
	listings search.Listings
	demand   search.Demand
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Clicked], error) {
	return (&handler{search.OpenListings(e), search.OpenDemand(e)}).count, nil
}

func (h *handler) count(ctx context.Context, e event.Event[Clicked]) error {
	err := inbox.Once(ctx, h.listings.DB, e.Delivery, func(tx postgres.Tx) error {
		if err := h.listings.Clicked(ctx, tx, e.Payload.Property); err != nil {
			return err
		}
		return h.demand.Viewed(ctx, tx, e.Payload.Property, e.Payload.Session, e.Payload.At)
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil // drop: visitors can name any hotel, and retries do not help
	}
	return err
}
