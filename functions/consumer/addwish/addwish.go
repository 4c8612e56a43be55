// Package addwish puts a hotel on a traveller's wishlist.
package addwish

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/wishlist.
var Function = consumer.HTTP(fn.Spec{
	Name:       "consumer-addwish",
	Route:      "POST " + consumer.Base + "/wishlist",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("property"), fn.Upstream("tenant")},
	Publishes:  fn.Subjects{session.WishlistAddedV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request names the hotel, the page from which it was added, and an optional note.
type Request struct {
	Property id.Property            `json:"propertyId"`
	Source   session.WishSource     `json:"source"`
	Note     fn.Maybe[session.Note] `json:"note"`
}

// A Response is the stored wish, with status 201 if it was added and 200 if it existed.
type Response struct {
	fn.Reply `json:"-"`
	session.Wish
}

// properties looks up the tenant of a hotel.
type properties interface {
	Get(context.Context, id.Property) (search.Property, cache.State, error)
}

// tenants looks up suspended tenants.
type tenants interface {
	Status(context.Context, id.Tenant) (search.Tenant, bool)
}

type handler struct {
	properties properties
	tenants    tenants
	wishlists  session.Wishlists
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	return (&handler{
		properties: search.OpenProperties(e),
		tenants:    search.OpenTenants(e),
		wishlists:  session.OpenWishlists(e),
	}).add, nil
}

func (h *handler) add(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	hotel, _, err := h.properties.Get(ctx, c.In.Property)
	if err != nil {
		return out, err
	}
	if _, closed := h.tenants.Status(ctx, hotel.Tenant); closed {
		return out, fault.ErrNotFound // as on the detail page
	}
	wish, added, err := h.wishlists.Add(ctx, c.Visitor, session.Wish{
		ID: id.Derive[id.Wish](c.Act, "wish"), Property: hotel.ID, Tenant: hotel.Tenant, AddedAt: c.Now,
		Source: c.In.Source,
	}, c.In.Note)
	if err != nil {
		return out, err
	}
	out.Wish = wish
	if !added {
		out.Reply = fn.OK.Reply()
	}
	return out, nil
}
