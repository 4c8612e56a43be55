// Package readsession returns the data of a traveller's session.
package readsession

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function handles GET /bff/consumer/v1/session.
var Function = consumer.HTTP(fn.Spec{
	Name:    "consumer-readsession",
	Route:   "GET " + consumer.Base + "/session",
	Uses:    fn.Uses{fn.Postgres, fn.Documents},
	Timeout: time.Second,
}, New)

// A Response holds the session's data. The wishlist comes from SQL.
type Response struct {
	Session id.GuestSession `json:"guestSessionId"`
	session.Preferences
	Campaign       *session.CapturedCampaign `json:"campaignAttribution,omitzero"`
	RecentlyViewed []session.RecentlyViewed  `json:"recentlyViewed"`
	Wishlist       []session.Wish            `json:"wishlist"`
	CreatedAt      time.Time                 `json:"createdAt"`
}

type reader struct {
	wishlists session.Wishlists
}

// New returns the handler with the dependencies that its Spec declares.
func New(e env.Env) (consumer.Serve[fn.Nothing, Response], error) {
	return (&reader{session.OpenWishlists(e)}).read, nil
}

func (h *reader) read(ctx context.Context, c consumer.Call[fn.Nothing]) (out Response, err error) {
	wishes, err := h.wishlists.List(ctx, c.Session.ID)
	if err != nil {
		return out, err
	}
	return Response{
		Session: c.Session.ID, Preferences: c.Session.Preferences(), Campaign: c.Session.Captured(),
		RecentlyViewed: c.Session.RecentlyViewed, Wishlist: wishes, CreatedAt: c.Session.CreatedAt,
	}, nil
}
