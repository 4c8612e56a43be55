package storefront

import (
	"context"
	"net/http"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// A Call is a request to a hotel's site.
type Call[In any] struct {
	fn.Call[In]
	*Visitor
}

// A Serve is the act of one of this service's functions. The visitor is its only dependency, because the site has no
// store.
type Serve[In any] func(context.Context, Call[In]) (fn.Page, error)

// HTTP returns an HTTP function for a page or a form. It is public: the booking service authenticates the guest.
func HTTP[In any](s fn.Spec, serve Serve[In]) fn.Function {
	s.Access, s.ErrorPage = fn.Public, errorPages()
	open := func(e env.Env) (fn.Middleware[*Visitor], error) { return openMiddleware(e, s) }
	return fn.HTTP(s, open, func(env.Env) (func(context.Context, *Visitor, fn.Call[In]) (fn.Page, error), error) {
		return func(ctx context.Context, v *Visitor, c fn.Call[In]) (fn.Page, error) {
			return serve(ctx, Call[In]{c, v})
		}, nil
	})
}

// openMiddleware returns the middleware. It passes the tenant's slug and the browser's headers on to the booking
// service.
func openMiddleware(e env.Env, s fn.Spec) (fn.Middleware[*Visitor], error) {
	site, err := openSite(e)
	enter := func(_ context.Context, r *http.Request, _ identity.Identity) (*Visitor, fn.Scope, error) {
		v := site.visitor(r.PathValue("slug"), r, e.Now())
		v.browser.Plain = s.Site(r).Plain
		return v, fn.Scope{}, nil
	}
	return fn.Middleware[*Visitor]{Resolve: enter, Path: []string{"slug"}}, err
}
