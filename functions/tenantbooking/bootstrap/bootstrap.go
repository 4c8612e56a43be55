// Package bootstrap serves the first response that a hotel's site reads, and begins the session.
package bootstrap

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /bff/tenant-booking/v1/{tenantSlug}/bootstrap, with ?h= for a guest whom the consumer site has sent.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:      "tenantbooking-bootstrap",
	Route:     "GET " + tenantbooking.Base + "/bootstrap",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("theme"), fn.Upstream("property")},
	Publishes: fn.Subjects{subject.BootstrapServedV1, subject.HandoffConsumedV1, subject.ErrorEncounteredV1},
	Timeout:   1200 * time.Millisecond,
}, New, tenantbooking.WithoutSession, tenantbooking.SetsCookie, tenantbooking.ReadsStorefront)

// A Request optionally carries the token of a handoff.
type Request struct {
	Token fn.Maybe[handoff.Token] `query:"h"`
}

// A Response is the bootstrap for one visitor.
type Response struct {
	fn.Reply `json:"-"`
	Bootstrap
}

type handler struct {
	storefronts *hotel.Storefronts
	arrivals    *session.Arrivals
	sessions    *session.Manager
	active      booking.ActiveDrafts
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	arrivals, noArrivals := session.OpenArrivals(e)
	sessions, noSessions := session.OpenManager(e)
	active, noDrafts := booking.OpenActiveDrafts(e)
	return (&handler{
		storefronts: hotel.OpenStorefronts(e),
		arrivals:    arrivals,
		sessions:    sessions,
		active:      active,
	}).serve, errors.Join(noArrivals, noSessions, noDrafts)
}

func (h *handler) serve(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	token, sent := c.In.Token.Get()
	if c.Speculative { // begins no session and uses no handoff
		return respond(c.Visitor, h.storefronts.Compose(ctx, c.Tenant.ID), h.arrivals.Preview(token, c.Tenant.ID, c.Now), c.Now), nil
	}
	v, was := c.Visitor, c.Session
	if was.ID.IsZero() {
		v.Session = h.sessions.Begin(v, c.Header, c.Trace(), c.Now)
	}
	var verified session.VerifiedHandoff
	if sent {
		if verified, err = h.arrivals.Verify(token, v.Tenant.ID); err != nil {
			return out, err
		}
		v.ApplyHandoff(verified)
	}
	front := h.storefronts.Compose(ctx, v.Tenant.ID) // before the handoff is used: a request that times out here can be repeated
	var arrival *session.Arrival
	if sent {
		accepted, err := h.arrivals.Accept(ctx, v, verified, c.Trace())
		if err != nil {
			return out, err
		}
		arrival = &accepted
	}
	h.sessions.Served(ctx, v, front, arrival)
	active, err := h.active.Of(ctx, &v.Session)
	out = respond(v, front, arrival, c.Now)
	if out.Active = active; err != nil {
		out.Degraded = append(out.Degraded, "activeBookingDraftId")
	}
	out.Reply, err = h.sessions.KeepAlive(ctx, out.Reply, v, was, c.Site)
	return out, err
}

func respond(v session.Visitor, f hotel.Storefront, a *session.Arrival, now time.Time) (out Response) {
	out.Bootstrap = compose(f, v, a, now)
	out.Reply = fn.OK.Reply().Cached("private, no-store").FromCache(string(f.Cache)).Language(string(v.Locale)).
		Varies("Cookie", "X-Currency").Set("X-Bootstrap-Version", out.Bootstrap.Version)
	return out
}
