// Package revokesession publishes that a session is revoked.
package revokesession

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/iam"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/iam/v1/sessions/{sessionId}/revoke.
var Function = sandbox.HTTP(fn.Spec{
	Name:      "sandbox-revokesession",
	Route:     "POST /sandbox/iam/v1/sessions/{sessionId}/revoke",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{iam.SessionRevokedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request names the session, its user and the reason.
type Request struct {
	Session iam.Persona           `path:"sessionId" json:"-"`
	Tenant  fn.Maybe[id.Tenant]   `json:"tenantId"`
	User    fn.Maybe[iam.Persona] `json:"userId"`
	Reason  freetext.Text         `json:"reason"`
}

const maxReasonLength = 200

// Validate requires a reason, because audits need one, and the tenant of a session of a hotel's site, because only its service stores it.
func (r *Request) Validate() error {
	if r.Reason == "" || len(r.Reason) > maxReasonLength {
		return standin.Refuse("/reason", "length", "Must have 1 to 200 characters.")
	}
	_, other := id.Parse[id.TenantSession](string(r.Session))
	if _, ok := r.Tenant.Get(); !ok && other == nil {
		return standin.Refuse("/tenantId", "required", "A session of a hotel's site belongs to a tenant.")
	}
	return nil
}

// A Response is the published revocation.
type Response = iam.Revocation

type handler struct {
	revocations iam.Revocations
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{iam.OpenRevocations(e)}).revoke, nil
}

func (h *handler) revoke(ctx context.Context, c fn.Call[Request]) (Response, error) {
	out := Response{Session: c.In.Session, User: c.In.User.Or(""), Reason: string(c.In.Reason), RevokedAt: c.Now}
	if tenant, ok := c.In.Tenant.Get(); ok {
		out.Tenant = &tenant
	}
	return out, h.revocations.Revoke(ctx, out)
}
