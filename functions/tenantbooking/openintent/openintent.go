// Package openintent begins the payment of a booking.
package openintent

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/draft/{draftId}/payment-intent.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:   "tenantbooking-openintent",
	Route:  "POST " + tenantbooking.Base + "/draft/{draftId}/payment-intent",
	Answer: fn.Created,
	Uses:   fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes: fn.Subjects{subject.IntentCreatedV1, subject.DraftConvertedV1, subject.StepCompletedV1,
		subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New, tenantbooking.NewBookings)

// A Request names the payment method.
type Request struct {
	Draft  id.Draft     `path:"draftId" json:"-"`
	Method hotel.Method `json:"method"`
}

// A Response holds the payment intent and the URL of its payment page.
type Response struct {
	booking.Intent
	State booking.State `json:"flowState"`
}

// registry is the part of the reservation service that this function uses.
type registry interface {
	NameGuest(context.Context, *booking.Draft, string) error
}

// cashier is the part of the payment service that this function uses.
type cashier interface {
	Open(ctx context.Context, d *booking.Draft, m hotel.Method, back, key string) (booking.Intent, error)
}

type handler struct {
	drafts       booking.Drafts
	settler      *booking.Settler
	reservations registry
	payments     cashier
	site         booking.Site
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	site, err := booking.OpenSite(e)
	return (&handler{
		drafts: booking.OpenDrafts(e), settler: booking.OpenSettler(e),
		reservations: booking.OpenReservations(e), payments: booking.OpenPayments(e), site: site,
	}).open, err
}

func (h *handler) open(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	return booking.Again(ctx, func() (Response, error) { return h.begin(ctx, c) })
}

func (h *handler) begin(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	draft, err := h.drafts.Get(ctx, c.Session, c.In.Draft)
	if err != nil {
		return out, err
	}
	if !c.Tenant.Accepts(c.In.Method) {
		return out, booking.ErrNoPayment
	}
	if err := h.settler.Payable(ctx, draft); err != nil {
		return out, err
	}
	draft.SetLocale(c.Visitor)
	key := draft.PayKey(c.In.Method)
	if draft.NeedsGuest() { // set the guest's details before a payment can be made
		if err := h.reservations.NameGuest(ctx, draft, key); err != nil {
			return out, err
		}
	}
	back := h.site.Return(c.Visitor, c.Site, draft, c.In.Method)
	intent, err := h.payments.Open(ctx, draft, c.In.Method, back, key)
	if err != nil {
		return out, err
	}
	events, err := draft.Pay(intent, c.Now)
	if err == nil && events != nil {
		err = h.drafts.Save(ctx, draft, events...)
	}
	return Response{intent, draft.State}, err
}
