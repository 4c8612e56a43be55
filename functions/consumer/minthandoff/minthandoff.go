// Package minthandoff creates a signed handoff that passes a guest's choice to a hotel's own site.
package minthandoff

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/handoffs"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/handoff/{tenantId}/{propertyId}.
var Function = consumer.HTTP(fn.Spec{
	Name:       "consumer-minthandoff",
	Route:      "POST " + consumer.Base + "/handoff/{tenantId}/{propertyId}",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("tenant"), fn.Upstream("property")},
	Publishes:  fn.Subjects{session.HandoffInitiatedV1},
	Idempotent: true,
	Timeout:    800 * time.Millisecond,
}, New)

// A Request names the hotel and the guest's choice. Locale and currency default to those of the session.
type Request struct {
	Tenant    id.Tenant            `path:"tenantId"`
	Property  id.Property          `path:"propertyId"`
	Dates     search.DateRange     `json:"dates"`
	Occupancy search.Occupancy     `json:"occupancy"`
	Currency  fn.Maybe[money.Code] `json:"currency"`
	Locale    fn.Maybe[locale.Tag] `json:"locale"`
}

// A Response holds the URL of the hotel's site with the handoff, and the time at which the handoff expires.
type Response struct {
	fn.Reply  `json:"-"`
	Handoff   id.Handoff    `json:"handoffId"`
	URL       string        `json:"url"`
	Token     handoff.Token `json:"token"`
	ExpiresAt time.Time     `json:"expiresAt"`
}

// minter signs a guest's choice.
type minter interface {
	Mint(context.Context, session.Visitor, search.Tenant, handoffs.Choice, id.Request, time.Time) (handoff.Handoff, handoff.Token, error)
}

// destinations looks up the hotels that a handoff can lead to.
type destinations interface {
	Find(context.Context, id.Tenant, id.Property, search.DateRange, time.Time) (search.Tenant, error)
}

type handler struct {
	hotels destinations
	minter minter
	site   handoffs.Site
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	minter, err := handoffs.OpenMinter(e)
	if err != nil {
		return nil, err
	}
	site, err := handoffs.OpenSite(e)
	return (&handler{hotels: handoffs.OpenDestinations(e), minter: minter, site: site}).send, err
}

func (h *handler) send(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	choice, err := handoffs.Choice{Property: c.In.Property, Dates: c.In.Dates, Occupancy: c.In.Occupancy}.WithPreferences(c.Visitor, c.In.Locale, c.In.Currency)
	if err != nil {
		return out, err
	}
	if err := choice.Check(c.Now); err != nil {
		return out, err
	}
	hotel, err := h.hotels.Find(ctx, c.In.Tenant, c.In.Property, c.In.Dates, c.Now)
	if err != nil {
		return out, err
	}
	minted, token, err := h.minter.Mint(ctx, c.Visitor, hotel, choice, c.Act, c.Now)
	if err != nil {
		return out, err
	}
	return Response{
		Reply:     fn.Created.Reply().Cached("no-store"),
		Handoff:   minted.ID,
		URL:       h.site.Link(hotel, token, c.Campaign),
		Token:     token,
		ExpiresAt: minted.ExpiresAt,
	}, nil
}
