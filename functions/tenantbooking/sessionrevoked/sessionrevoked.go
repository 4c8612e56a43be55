// Package sessionrevoked revokes a session and deletes its personal data.
package sessionrevoked

import (
	"cmp"
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.iam.session.revoked.v1.
var Function = tenantbooking.PlatformEvent(fn.Spec{
	Name:    "tenantbooking-sessionrevoked",
	Subject: "melmastoon.iam.session.revoked.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, New)

// Revoked identifies a session of any service.
type Revoked struct {
	Tenant    *id.Tenant `json:"tenantId"`
	Session   string     `json:"sessionId"`
	RevokedAt time.Time  `json:"revokedAt"`
}

// forgetter is the part of the session store that this function uses.
type forgetter interface {
	Revoke(context.Context, id.Tenant, id.TenantSession, time.Time) error
}

type handler struct {
	sessions forgetter
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Revoked], error) {
	sessions, err := session.OpenSessions(e)
	return (&handler{sessions}).handle, err
}

// handle needs no inbox: the session stores the time of its last revocation. Reservations are not affected: their guest
// can use the view token. A session of a hotel's site belongs to a tenant: without it the revocation would have no effect, so that
// event is dead-lettered.
func (h *handler) handle(ctx context.Context, e event.Event[Revoked]) error {
	session, err := id.Parse[id.TenantSession](e.Payload.Session)
	if err != nil {
		return nil // the session of another service
	}
	tenant := cmp.Or(e.Delivery.Tenant, e.Payload.Tenant)
	if tenant == nil {
		return fn.DeadLetter(fault.ErrValidation.Saying("The revocation of a hotel's session names no tenant."))
	}
	return h.sessions.Revoke(ctx, *tenant, session, e.Payload.RevokedAt)
}
