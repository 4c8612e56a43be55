package sandbox

import (
	"context"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Schema is the SQL schema of the sandbox.
const Schema = "sandbox"

// HTTP makes an HTTP function. Other services call them, identified by their token; the tenant stands in what they ask
// for, so all that the routes share is the scenario that a caller may put on.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (fn.Serve[In, Out], error)) fn.Function {
	type act = func(context.Context, fn.Nothing, fn.Call[In]) (Out, error)
	return fn.HTTP(s, fn.Open, func(e env.Env) (act, error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		name := service(s.Route)
		return func(ctx context.Context, _ fn.Nothing, c fn.Call[In]) (out Out, err error) {
			if c.Header, err = narrowed(c.Header, name); err != nil {
				return out, err
			}
			if err := play(ctx, c.Header); err != nil {
				return out, err
			}
			return serve(ctx, c)
		}, nil
	})
}

// Event makes a function that hears an event. What can never succeed goes to the subscription's own dead-letter topic;
// an event of no tenant is such a one, since everything here belongs to somebody.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	return EventOfNobody(s, func(e env.Env) (fn.Handle[P], error) {
		handle, err := build(e)
		return func(ctx context.Context, e event.Event[P]) error {
			if e.Delivery.Tenant == nil {
				return fn.DeadLetter(fault.ErrValidation.Saying("The event names no tenant."))
			}
			return handle(ctx, e)
		}, err
	})
}

// EventOfNobody makes a function that hears events without a tenant, such as those of travellers on the consumer site.
func EventOfNobody[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "melmastoon-sandbox-" + s.Subject + "-dlq"
	return fn.Event(s, build)
}
