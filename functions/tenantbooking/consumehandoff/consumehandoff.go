// Package consumehandoff uses a handoff from the consumer site, for native apps.
package consumehandoff

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/tenant-booking/v1/{tenantSlug}/handoff/consume.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-consumehandoff",
	Route:      "POST " + tenantbooking.Base + "/handoff/consume",
	Uses:       fn.Uses{fn.Postgres, fn.Documents},
	Publishes:  fn.Subjects{subject.HandoffConsumedV1, subject.ErrorEncounteredV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New, tenantbooking.WithoutSession, tenantbooking.SetsCookie)

// A Request holds the token.
type Request struct {
	Token handoff.Token `json:"token"`
}

// A Response holds the guest's choices on the consumer site.
type Response struct {
	fn.Reply `json:"-"`
	session.Arrival
}

type handler struct {
	arrivals *session.Arrivals
	visits   *session.Manager
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	arrivals, err := session.OpenArrivals(e)
	if err != nil {
		return nil, err
	}
	visits, err := session.OpenManager(e)
	return (&handler{arrivals, visits}).consume, err
}

func (h *handler) consume(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	v, was := c.Visitor, c.Session
	if was.ID.IsZero() {
		v.Session = h.visits.Begin(v, c.Header, c.Trace(), c.Now)
	}
	verified, err := h.arrivals.Verify(c.In.Token, v.Tenant.ID)
	if err != nil {
		return out, err
	}
	v.ApplyHandoff(verified)
	if out.Arrival, err = h.arrivals.Accept(ctx, v, verified, c.Trace()); err != nil {
		return out, err
	}
	out.Reply, err = h.visits.KeepAlive(ctx, fn.OK.Reply().Cached("private, no-store"), v, was, c.Site)
	return out, err
}
