// Package minthandoff sends a guest on to a hotel's own site, with what they have chosen here.
package minthandoff

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function answers POST /bff/consumer/v1/handoff/{tenantId}/{propertyId}.
var Function = consumer.HTTP(fn.Spec{
	Name:       "consumer-minthandoff",
	Route:      "POST " + consumer.Base + "/handoff/{tenantId}/{propertyId}",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("tenant"), fn.Upstream("property")},
	Publishes:  fn.Subjects{consumer.HandoffInitiatedV1},
	Idempotent: true,
	Timeout:    800 * time.Millisecond,
}, New)

// A Request is the hotel, and what the guest has chosen. What it does not say is as the visit is.
type Request struct {
	Tenant    id.Tenant            `path:"tenantId"`
	Property  id.Property          `path:"propertyId"`
	Dates     consumer.DateRange   `json:"dates"`
	Occupancy consumer.Occupancy   `json:"occupancy"`
	Currency  fn.Maybe[money.Code] `json:"currency"`
	Locale    fn.Maybe[locale.Tag] `json:"locale"`
}

// A Response is where the guest goes on, and until when.
type Response struct {
	fn.Reply  `json:"-"`
	Handoff   id.Handoff    `json:"handoffId"`
	URL       string        `json:"url"`
	Token     handoff.Token `json:"token"`
	ExpiresAt time.Time     `json:"expiresAt"`
}

// minter signs what a guest has chosen at a hotel.
type minter interface {
	Mint(context.Context, consumer.Visitor, consumer.Tenant, consumer.Choice, id.Request, time.Time) (handoff.Handoff, handoff.Token, error)
}

// destinations are the hotels that guests can go on to.
type destinations interface {
	Find(context.Context, id.Tenant, id.Property, consumer.DateRange, time.Time) (consumer.Tenant, error)
}

type sender struct {
	hotels destinations
	minter minter
	site   consumer.Site
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	minter, err := consumer.OpenMinter(e)
	if err != nil {
		return nil, err
	}
	site, err := consumer.OpenSite(e)
	return (&sender{hotels: consumer.OpenDestinations(e), minter: minter, site: site}).send, err
}

func (s *sender) send(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	choice, err := consumer.Choice{Property: c.In.Property, Dates: c.In.Dates, Occupancy: c.In.Occupancy}.As(c.Visitor, c.In.Locale, c.In.Currency)
	if err != nil {
		return out, err
	}
	if err := choice.Check(c.Now); err != nil {
		return out, err
	}
	hotel, err := s.hotels.Find(ctx, c.In.Tenant, c.In.Property, c.In.Dates, c.Now)
	if err != nil {
		return out, err
	}
	h, token, err := s.minter.Mint(ctx, c.Visitor, hotel, choice, c.Act, c.Now)
	if err != nil {
		return out, err
	}
	return Response{
		Reply:     fn.Created.Reply().Cached("no-store"),
		Handoff:   h.ID,
		URL:       s.site.Link(hotel, token, c.Campaign),
		Token:     token,
		ExpiresAt: h.ExpiresAt,
	}, nil
}
