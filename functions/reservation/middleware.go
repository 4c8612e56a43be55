package reservation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Scope is how far somebody sees: one tenant, and there all properties (nil) or only some. What lies beyond it does
// not exist for them.
type Scope struct {
	Tenant     id.Tenant
	Properties []id.Property
}

// Allows reports whether a property is within reach.
func (r Scope) Allows(p id.Property) bool {
	return r.Properties == nil || slices.Contains(r.Properties, p)
}

// A Principal is who calls this service, and how far they see.
type Principal struct {
	Scope
	Actor Actor
	Roles []string // of staff
	Desk  bool     // a service that a hotel's staff work with
}

// CanActAs reports whether the visitor may do something in that name. Services speak for guests, desk services for staff too;
// staff speak for themselves only.
func (v Principal) CanActAs(a Actor) bool {
	if v.Actor.Type == Staff {
		return a == v.Actor
	}
	return a.Type != Staff || v.Desk
}

// MayGive reports whether the visitor may cancel for that reason: that the hotel cancels is for its staff and their services to say.
func (v Principal) MayGive(r Reason) bool {
	return r != StaffCancelled || v.Actor.Type == Staff || v.Desk
}

// The roles that let staff in. One of them is needed on every route.
const (
	FrontDesk = "front_desk"
	Manager   = "manager"
)

// MayWaive reports whether the visitor may leave a guest what the policy keeps: a manager may. No service is one.
func (v Principal) MayWaive() bool { return v.Actor.Type == Staff && slices.Contains(v.Roles, Manager) }

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	Principal
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// HTTP makes an HTTP function. Services and the desk call it, each for one tenant.
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

// openMiddleware opens the ledger only for those who need it: to read, no key is needed.
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

// enter takes the tenant from X-Tenant-Id. Staff of another tenant find nothing there, as if it did not exist, and staff without a role
// for the desk are refused.
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

// Event makes an event function. What can never succeed goes to the dead letters of its subject; an event of no tenant
// is such a one.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "melmastoon-reservation-" + s.Subject + "-dlq"
	s.Attempts = 20
	return fn.Event(s, func(e env.Env) (fn.Handle[P], error) {
		handle, err := build(e)
		return func(ctx context.Context, e event.Event[P]) error {
			if e.Delivery.Tenant == nil {
				return fn.DeadLetter(fault.ErrValidation.Saying("The event names no tenant."))
			}
			return handle(ctx, e)
		}, err
	})
}
