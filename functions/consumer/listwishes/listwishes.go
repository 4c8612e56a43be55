// Package listwishes returns the hotels on a traveller's wishlist.
package listwishes

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /bff/consumer/v1/wishlist.
var Function = consumer.HTTP(fn.Spec{
	Name:     "consumer-listwishes",
	Route:    "GET " + consumer.Base + "/wishlist",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search"), fn.Upstream("pricing"), fn.Upstream("theme")},
	Timeout:  time.Second,
}, New)

// A Request may ask for the card of each hotel, with the price of the default trip.
type Request struct {
	Expand fn.Maybe[search.Expansion] `query:"expand"`
}

// A Response is the wishlist, the newest first. Stale and Degraded describe the cards.
type Response struct {
	Wishes   []Wish   `json:"wishlist"`
	Max      int      `json:"limit"`
	Stale    bool     `json:"stale,omitzero"`
	Degraded []string `json:"degraded,omitempty"`
}

// A Wish is a hotel on the wishlist, with its card if it was asked for.
type Wish struct {
	session.Wish
	*search.Carded
}

// composer composes the cards of hotels.
type composer interface {
	Cards(context.Context, locale.Tag, search.Trip, []id.Property) search.Deck
}

type handler struct {
	wishlists session.Wishlists
	hotels    composer
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	return (&handler{session.OpenWishlists(e), search.OpenSearches(e)}).list, nil
}

func (h *handler) list(ctx context.Context, c consumer.Call[Request]) (Response, error) {
	wishes, err := h.wishlists.List(ctx, c.Session.ID)
	if err != nil {
		return Response{}, err
	}
	var deck search.Deck
	if !c.In.Expand.IsZero() {
		deck = h.hotels.Cards(ctx, c.Locale, search.DefaultTrip(c.Now, c.Currency), session.Hotels(wishes, nil))
	}
	out := Response{Wishes: make([]Wish, len(wishes)), Max: session.MaxWishes, Stale: deck.Stale, Degraded: deck.Missing}
	for i, w := range wishes {
		out.Wishes[i] = Wish{w, deck.Card(w.Property)}
	}
	return out, nil
}
