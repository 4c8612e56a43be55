package storefront

import (
	"context"
	"net/http"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// A Call is a guest's request to a hotel's site.
type Call[In any] struct {
	fn.Call[In]
	*Visit
}

// A Serve is the act of one of this service's functions. It needs nothing but the visit: the site keeps nothing.
type Serve[In any] func(context.Context, Call[In]) (fn.Page, error)

// HTTP makes a page, or an act of a guest that leads to one. Anybody may come: who they are, the booking service decides.
func HTTP[In any](s fn.Spec, serve Serve[In]) fn.Function {
	s.Access = fn.Public
	open := func(e env.Env) (fn.Middleware[*Visit], error) { return openMiddleware(e, s) }
	return fn.HTTP(s, open, func(env.Env) (func(context.Context, *Visit, fn.Call[In]) (fn.Page, error), error) {
		return func(ctx context.Context, v *Visit, c fn.Call[In]) (fn.Page, error) {
			return serve(ctx, Call[In]{c, v})
		}, nil
	})
}

// openMiddleware knows the hotel by its short name. What the guest's browser has said goes on to the booking service.
func openMiddleware(e env.Env, s fn.Spec) (fn.Middleware[*Visit], error) {
	site, err := openSite(e)
	enter := func(_ context.Context, r *http.Request, _ identity.Identity) (*Visit, fn.Scope, error) {
		v := site.visit(r.PathValue("slug"), r.Header, e.Now())
		v.plain = s.Site(r).Plain
		return v, fn.Scope{}, nil
	}
	return fn.Middleware[*Visit]{Resolve: enter, Path: []string{"slug"}}, err
}
