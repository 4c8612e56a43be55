// Package removewish takes a hotel off a traveller's wishlist.
package removewish

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves DELETE /bff/consumer/v1/wishlist/{propertyId}.
var Function = consumer.HTTP(fn.Spec{
	Name:       "consumer-removewish",
	Route:      "DELETE " + consumer.Base + "/wishlist/{propertyId}",
	Answer:     fn.NoContent,
	Uses:       fn.Uses{fn.Postgres, fn.Documents},
	Publishes:  fn.Subjects{session.WishlistRemovedV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request names the hotel. It may be missing from the list already.
type Request struct {
	Property id.Property `path:"propertyId"`
}

type handler struct {
	wishlists session.Wishlists
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, fn.Nothing], error) {
	return (&handler{session.OpenWishlists(e)}).remove, nil
}

func (h *handler) remove(ctx context.Context, c consumer.Call[Request]) (out fn.Nothing, err error) {
	return out, h.wishlists.Remove(ctx, c.Visitor, c.In.Property, c.Now)
}
