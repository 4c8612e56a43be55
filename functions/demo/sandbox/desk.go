package sandbox

import (
	"context"
	"net/http"
	"slices"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// A Caller is a member of a hotel's staff. The zero value is another service, which may access all hotels.
type Caller struct {
	tenant     id.Tenant
	properties []id.Property
}

// Allows reports whether the caller may access a property.
func (c Caller) Allows(p id.Property) bool {
	return c.tenant.IsZero() || slices.Contains(c.properties, p)
}

// AllowsTenant reports whether the caller may access what belongs to a tenant, and to no property.
func (c Caller) AllowsTenant(t id.Tenant) bool { return c.tenant.IsZero() || c.tenant == t }

// Properties returns the properties that staff may access, and false for a service.
func (c Caller) Properties() ([]id.Property, bool) { return c.properties, !c.tenant.IsZero() }

// A DeskServe is the act of a function that staff may call.
type DeskServe[In, Out any] = func(context.Context, Caller, fn.Call[In]) (Out, error)

// Desk returns an HTTP function for other services and for the staff of hotels, who use the same token as for the reservation service.
func Desk[In, Out any](s fn.Spec, build func(env.Env) (DeskServe[In, Out], error)) fn.Function {
	s.Access = fn.Desk
	return simulating(s, openDesk, build)
}

// openDesk opens the middleware of Desk. It returns fault.ErrForbidden to staff who do not work at a desk.
func openDesk(env.Env) (fn.Middleware[Caller], error) {
	return fn.Middleware[Caller]{Resolve: func(_ context.Context, _ *http.Request, who identity.Identity) (Caller, fn.Scope, error) {
		if !who.Staff {
			return Caller{}, fn.Scope{}, nil
		}
		if !slices.Contains(who.Roles, "front_desk") && !slices.Contains(who.Roles, "manager") {
			return Caller{}, fn.Scope{}, fault.ErrForbidden
		}
		return Caller{*who.Tenant, who.Properties}, fn.Scope{Tenant: *who.Tenant, Caller: who.Subject}, nil
	}}, nil
}
