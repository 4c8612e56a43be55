package sandbox

import (
	"context"
	"strings"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Schema is the SQL schema of this service.
const Schema = standin.Schema

// A Scenario is a failure that a caller may ask the sandbox to simulate.
type Scenario = scenario.Scenario

// ScenariosOf returns the scenarios that affect a service.
func ScenariosOf(service string) []Scenario { return scenario.For(service) }

// Services lists the services that a scenario may be for.
var Services = scenario.Services

// HTTP returns an HTTP function. Other services call it, identified by their token.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (fn.Serve[In, Out], error)) fn.Function {
	s.Access = fn.Internal
	return Public(s, build)
}

// Public returns an HTTP function that anyone may call. The request names the tenant, so the routes share only the scenario
// that a caller may request.
func Public[In, Out any](s fn.Spec, build func(env.Env) (fn.Serve[In, Out], error)) fn.Function {
	return simulating(s, fn.Open, func(e env.Env) (func(context.Context, fn.Nothing, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		return func(ctx context.Context, _ fn.Nothing, c fn.Call[In]) (Out, error) { return serve(ctx, c) }, err
	})
}

// simulating returns an HTTP function that simulates the scenario of its caller before it serves.
func simulating[P, In, Out any](s fn.Spec, open func(env.Env) (fn.Middleware[P], error),
	build func(env.Env) (func(context.Context, P, fn.Call[In]) (Out, error), error)) fn.Function {
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, P, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		name := service(s.Route)
		return func(ctx context.Context, p P, c fn.Call[In]) (out Out, err error) {
			if c.Header, err = scenario.HeadersFor(c.Header, name); err != nil {
				return out, err
			}
			if err := scenario.Simulate(ctx, c.Header); err != nil {
				return out, err
			}
			return serve(ctx, p, c)
		}, nil
	})
}

// An Effect is what an event changes, in the transaction that claims the event.
type Effect[P any] func(context.Context, postgres.Tx, event.Event[P]) error

// Event returns an event function whose effect is made once. Permanent failures go to the subscription's own dead-letter
// topic. An event without a tenant is one.
func Event[P any](s fn.Spec, build func(env.Env) (Effect[P], error)) fn.Function {
	return PlatformEvent(s, fn.OfTenant(func(e env.Env) (fn.Handle[P], error) {
		effect, err := build(e)
		db := postgres.Open(e, Schema)
		return func(ctx context.Context, e event.Event[P]) error {
			return inbox.Once(ctx, db, e.Delivery, func(tx postgres.Tx) error { return effect(ctx, tx, e) })
		}, err
	}))
}

// PlatformEvent returns an event function for events without a tenant, such as those of travellers on the consumer
// site.
func PlatformEvent[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "melmastoon-sandbox-" + s.Subject + "-dlq"
	return fn.Event(s, build)
}

// service returns the service that a route like "POST /sandbox/pricing/v1/quotes" belongs to.
func service(route string) string {
	_, path, _ := strings.Cut(route, "/sandbox/")
	name, _, _ := strings.Cut(path, "/")
	return name
}
