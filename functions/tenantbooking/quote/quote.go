// Package quote returns the price of a stay, for a new draft or an existing one.
package quote

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/quote.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-quote",
	Route:      "POST " + tenantbooking.Base + "/quote",
	Answer:     fn.Created,
	Uses:       fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("property"), fn.Upstream("reservation")},
	Publishes:  fn.Subjects{subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    2 * time.Second,
}, New, tenantbooking.FromBootstrap, tenantbooking.NewBookings)

// A Request is the wish, and the draft to quote for. Without a draft a new one begins.
type Request = booking.QuoteRequest

// A Response is the price and its expiry.
type Response = booking.QuoteResponse

// pricer is the part of the reservation service that this function uses.
type pricer interface {
	Quote(context.Context, session.Visitor, id.Draft, booking.Selection, string) (booking.Quote, error)
}

type handler struct {
	drafts       booking.Drafts
	properties   hotel.CachedProperties
	reservations pricer
	active       booking.ActiveDrafts
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	active, err := booking.OpenActiveDrafts(e)
	return (&handler{
		drafts: booking.OpenDrafts(e), properties: hotel.OpenCachedProperties(e), reservations: booking.OpenReservations(e), active: active,
	}).quote, err
}

func (h *handler) quote(ctx context.Context, c tenantbooking.Call[Request]) (Response, error) {
	if err := c.In.Selection().Within(c.Tenant.Settings); err != nil {
		return Response{}, err
	}
	if err := h.properties.CheckArrival(ctx, c.Tenant.ID, c.In.Property, c.In.Stay.CheckIn, "/stayWindow/checkIn", c.Now); err != nil {
		return Response{}, err
	}
	draft, err := h.draft(ctx, c)
	if err != nil {
		return Response{}, err
	}
	h.active.Set(ctx, c.Session, draft)
	return draft.QuoteResponse(), nil
}

func (h *handler) draft(ctx context.Context, c tenantbooking.Call[Request]) (*booking.Draft, error) {
	if d, given := c.In.Draft.Get(); given {
		return booking.Again(ctx, func() (*booking.Draft, error) { return h.next(ctx, c, d) })
	}
	// The id of the draft derives from the act, so that a retry does not begin a second draft.
	price, err := h.reservations.Quote(ctx, c.Visitor, booking.DraftID(c.Act), c.In.Selection(), c.Act.String())
	if err != nil {
		return nil, err
	}
	return h.drafts.Add(ctx, booking.NewDraft(c.Act, c.Visitor, price, c.Now))
}

// next replaces the price of a draft.
func (h *handler) next(ctx context.Context, c tenantbooking.Call[Request], d id.Draft) (*booking.Draft, error) {
	draft, err := h.drafts.Get(ctx, c.Session, d)
	if err != nil {
		return nil, err
	}
	if err := draft.May(booking.Quotes); err != nil {
		return nil, err
	}
	price, err := h.reservations.Quote(ctx, c.Visitor, draft.ID, c.In.Selection(), c.Act.String())
	if err != nil {
		return nil, err
	}
	events, err := draft.SetQuote(price, c.Visitor, c.Now)
	if err != nil {
		return nil, err
	}
	return draft, h.drafts.Save(ctx, draft, events...)
}
