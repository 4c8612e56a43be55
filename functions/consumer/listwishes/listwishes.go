// Package listwishes returns the hotels on a traveller's wishlist.
package listwishes

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function handles GET /bff/consumer/v1/wishlist.
var Function = consumer.HTTP(fn.Spec{
	Name:    "consumer-listwishes",
	Route:   "GET " + consumer.Base + "/wishlist",
	Uses:    fn.Uses{fn.Postgres, fn.Documents},
	Timeout: time.Second,
}, New)

// A Response is the wishlist, the newest first.
type Response struct {
	Wishes []session.Wish `json:"wishlist"`
	Max    int            `json:"limit"`
}

type lister struct {
	wishlists session.Wishlists
}

// New returns the handler with the dependencies that its Spec declares.
func New(e env.Env) (consumer.Serve[fn.Nothing, Response], error) {
	return (&lister{session.OpenWishlists(e)}).list, nil
}

func (h *lister) list(ctx context.Context, c consumer.Call[fn.Nothing]) (Response, error) {
	wishes, err := h.wishlists.List(ctx, c.Session.ID)
	return Response{wishes, session.MaxWishes}, err
}
