// Package readsession returns the data of a traveller's session.
package readsession

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

// Function serves GET /bff/consumer/v1/session.
var Function = consumer.HTTP(fn.Spec{
	Name:     "consumer-readsession",
	Route:    "GET " + consumer.Base + "/session",
	Siblings: []string{"PATCH"},
	Uses:     fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search"), fn.Upstream("pricing"), fn.Upstream("theme")},
	Timeout:  time.Second,
}, New)

// A Request may ask for the card of each hotel, with the price of the default trip.
type Request struct {
	Expand fn.Maybe[search.Expansion] `query:"expand"`
}

// A Response holds the session's data. The wishlist and the consents come from SQL. Stale and Degraded describe the cards.
type Response struct {
	Session id.GuestSession `json:"guestSessionId"`
	session.Preferences
	Campaign       *session.CapturedCampaign `json:"campaignAttribution,omitzero"`
	RecentlyViewed []Viewed                  `json:"recentlyViewed"`
	Wishlist       []Wish                    `json:"wishlist"`
	CreatedAt      time.Time                 `json:"createdAt"`
	Stale          bool                      `json:"stale,omitzero"`
	Degraded       []string                  `json:"degraded,omitempty"`
}

// A Viewed is a recently viewed hotel, with its card if it was asked for.
type Viewed struct {
	session.RecentlyViewed
	*search.Carded
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
	return (&handler{session.OpenWishlists(e), search.OpenSearches(e)}).read, nil
}

func (h *handler) read(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	wishes, err := h.wishlists.ListFor(ctx, &c.Session)
	if err != nil {
		return out, err
	}
	viewed := c.Session.RecentlyViewed
	var deck search.Deck
	if !c.In.Expand.IsZero() {
		deck = h.hotels.Cards(ctx, c.Locale, search.DefaultTrip(c.Now, c.Currency), session.Hotels(wishes, viewed))
	}
	out = Response{
		Session: c.Session.ID, Preferences: c.Session.Preferences(), Campaign: c.Session.Captured(), CreatedAt: c.Session.CreatedAt,
		RecentlyViewed: make([]Viewed, len(viewed)), Wishlist: make([]Wish, len(wishes)), Stale: deck.Stale, Degraded: deck.Missing,
	}
	for i, v := range viewed {
		out.RecentlyViewed[i] = Viewed{v, deck.Card(v.Property)}
	}
	for i, w := range wishes {
		out.Wishlist[i] = Wish{w, deck.Card(w.Property)}
	}
	return out, nil
}
