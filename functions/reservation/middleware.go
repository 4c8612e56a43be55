package reservation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Schema is the SQL schema of this service.
const Schema = service.Schema

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	access.Principal
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// HTTP returns an HTTP function. Services and staff call it, each call for one tenant.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error)) fn.Function {
	s.Access = fn.Desk
	open := func(e env.Env) (fn.Middleware[access.Principal], error) { return openMiddleware(e, s.Idempotent) }
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, access.Principal, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, p access.Principal, c fn.Call[In]) (Out, error) {
			out, err := serve(ctx, Call[In]{Call: c, Principal: p})
			return out, explain(p, err)
		}, nil
	})
}

// explain returns an error of a call as its caller sees it. Staff read the present state of the reservation in a refusal for its state.
// Services pass the sentence on to guests, who read the general one.
func explain(p access.Principal, err error) error {
	if errors.Is(err, booking.ErrIllegalTransition) && !p.ActsForStaff() {
		return booking.ErrIllegalTransition.Because(err)
	}
	return err
}

// FrontDesk returns an HTTP function for front-desk work. Only staff, and services that staff work with, may call it: a guest
// acts through none of these. One instance answers 40 calls at once: desks call rarely, and each further instance
// would take database connections from the guests.
func FrontDesk[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error)) fn.Function {
	s.MaxInstances = 1
	return HTTP(s, func(e env.Env) (Serve[In, Out], error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, c Call[In]) (out Out, err error) {
			if !c.ActsForStaff() {
				return out, fault.ErrForbidden
			}
			return serve(ctx, c)
		}, nil
	})
}

// openMiddleware opens the idempotency ledger only if the function needs idempotency keys. Reads do not.
func openMiddleware(e env.Env, idempotent bool) (d fn.Middleware[access.Principal], err error) {
	var c struct {
		Desks []string `env:"DESK_CALLERS"` // e-mails of the services that staff work with
	}
	if err := e.Load(&c); err != nil {
		return d, fmt.Errorf("middleware: %w", err)
	}
	d.Resolve = func(_ context.Context, r *http.Request, who identity.Identity) (access.Principal, fn.Scope, error) {
		p, s, err := enter(r, who)
		p.Desk = !who.Staff && slices.Contains(c.Desks, who.Email)
		return p, s, err
	}
	if idempotent {
		d.Ledger, err = idempotency.Open(e, postgres.Open(e, service.Schema))
	}
	return d, err
}

// enter reads the tenant from X-Tenant-Id and returns the caller's principal and the scope of its idempotency keys.
func enter(r *http.Request, who identity.Identity) (access.Principal, fn.Scope, error) {
	tenant, err := id.Parse[id.Tenant](r.Header.Get("X-Tenant-Id"))
	if err != nil || len(r.Header.Values("X-Tenant-Id")) != 1 {
		violation := fault.Violation{Pointer: "/X-Tenant-Id", Rule: "form", Message: "must be the id of one tenant, once"}
		return access.Principal{}, fn.Scope{}, fault.ErrValidation.With(violation)
	}
	if who.Staff {
		p, err := enterStaff(tenant, who)
		return p, fn.Scope{Tenant: tenant, Caller: who.Subject}, err
	}
	service, _, _ := strings.Cut(who.Email, "@")
	p := access.Principal{
		Scope: access.Scope{Tenant: tenant},
		Actor: access.Actor{Type: access.System, ID: access.Name(service)},
	}
	return p, fn.Scope{Tenant: tenant, Caller: who.Email}, nil
}

// enterStaff returns ErrNotFound to staff of another tenant, and ErrForbidden to staff without a desk role.
func enterStaff(tenant id.Tenant, who identity.Identity) (access.Principal, error) {
	if who.Tenant == nil || *who.Tenant != tenant {
		return access.Principal{}, booking.ErrNotFound
	}
	if !slices.Contains(who.Roles, access.FrontDesk) && !slices.Contains(who.Roles, access.Manager) {
		return access.Principal{}, fault.ErrForbidden
	}
	return access.Principal{
		Scope: access.Scope{Tenant: tenant, Properties: append([]id.Property{}, who.Properties...)}, // never nil: nil means all
		Actor: access.Actor{Type: access.Staff, ID: access.Name(freetext.Scrub(who.Subject))},
		Roles: who.Roles,
	}, nil
}

// Event returns an event function. Permanent failures go to the dead-letter topic of its subject. An event without a
// tenant is one.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "melmastoon-reservation-" + s.Subject + "-dlq"
	s.Attempts = 20
	return fn.Event(s, fn.OfTenant(build))
}
