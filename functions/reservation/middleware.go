package reservation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Scope is the data that a caller may access: one tenant, and all its properties (nil) or some. Everything else looks
// nonexistent to the caller.
type Scope struct {
	Tenant     id.Tenant
	Properties []id.Property
}

// Allows reports whether a property is in scope.
func (r Scope) Allows(p id.Property) bool {
	return r.Properties == nil || slices.Contains(r.Properties, p)
}

// A Principal is the authenticated caller with its scope.
type Principal struct {
	Scope
	Actor Actor
	Roles []string // of staff
	Desk  bool     // a service that hotel staff use
}

// CanActAs reports whether the principal may act in the name of a. Services act for guests, desk services also for
// staff. Staff act for themselves only.
func (v Principal) CanActAs(a Actor) bool {
	if v.Actor.Type == Staff {
		return a == v.Actor
	}
	return a.Type != Staff || v.Desk
}

// MayGive reports whether the principal may cancel for that reason. Only staff and desk services may give
// StaffCancelled.
func (v Principal) MayGive(r Reason) bool {
	return r != StaffCancelled || v.Actor.Type == Staff || v.Desk
}

// The staff roles that grant access. Every route requires one of them.
const (
	FrontDesk = "front_desk"
	Manager   = "manager"
)

// MayWaive reports whether the principal may waive a penalty. Only managers may; a service never may.
func (v Principal) MayWaive() bool { return v.Actor.Type == Staff && slices.Contains(v.Roles, Manager) }

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	Principal
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// HTTP returns an HTTP function. Services and staff call it, each call for one tenant.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error)) fn.Function {
	s.Access = fn.Desk
	open := func(e env.Env) (fn.Middleware[Principal], error) { return openMiddleware(e, s.Idempotent) }
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, Principal, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, v Principal, c fn.Call[In]) (Out, error) { return serve(ctx, Call[In]{c, v}) }, nil
	})
}

// openMiddleware opens the idempotency ledger only if the function needs idempotency keys. Reads do not.
func openMiddleware(e env.Env, idempotent bool) (d fn.Middleware[Principal], err error) {
	var c struct {
		Desks []string `env:"DESK_CALLERS"` // e-mails of the services that staff work with
	}
	if err := e.Load(&c); err != nil {
		return d, fmt.Errorf("middleware: %w", err)
	}
	d.Resolve = func(_ context.Context, r *http.Request, who identity.Identity) (Principal, fn.Scope, error) {
		v, s, err := enter(r, who)
		v.Desk = !who.Staff && slices.Contains(c.Desks, who.Email)
		return v, s, err
	}
	if idempotent {
		d.Ledger, err = idempotency.Open(e, postgres.Open(e, Schema))
	}
	return d, err
}

// enter reads the tenant from X-Tenant-Id. It returns ErrNotFound to staff of another tenant, and ErrForbidden to staff
// without a desk role.
func enter(r *http.Request, who identity.Identity) (Principal, fn.Scope, error) {
	tenant, err := id.Parse[id.Tenant](r.Header.Get("X-Tenant-Id"))
	if err != nil || len(r.Header.Values("X-Tenant-Id")) != 1 {
		return Principal{}, fn.Scope{}, fault.ErrValidation.With(fault.Violation{Pointer: "/X-Tenant-Id", Rule: "form", Message: "must be the id of one tenant, once"})
	}
	service, _, _ := strings.Cut(who.Email, "@")
	v, caller := Principal{Scope: Scope{Tenant: tenant}, Actor: Actor{Type: System, ID: Name(service)}}, who.Email
	if who.Staff {
		if who.Tenant == nil || *who.Tenant != tenant {
			return Principal{}, fn.Scope{}, ErrNotFound
		}
		if !slices.Contains(who.Roles, FrontDesk) && !slices.Contains(who.Roles, Manager) {
			return Principal{}, fn.Scope{}, fault.ErrForbidden
		}
		v, caller = Principal{Scope: Scope{tenant, append([]id.Property{}, who.Properties...)}, Actor: Actor{Staff, Name(scrub(who.Subject))}, Roles: who.Roles}, who.Subject
	}
	return v, fn.Scope{Tenant: tenant, Caller: caller}, nil
}

// Event returns an event function. Permanent failures go to the dead-letter topic of its subject. An event without a
// tenant is one.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "melmastoon-reservation-" + s.Subject + "-dlq"
	s.Attempts = 20
	return fn.Event(s, fn.OfTenant(build))
}
