package frontdesk

import (
	"context"
	"net/http"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// A Call is a request to the site.
type Call[In any] struct {
	fn.Call[In]
	*Clerk
}

// A Serve is the act of one of this service's functions. The clerk is its only dependency, because the site has no store.
type Serve[In any] func(context.Context, Call[In]) (fn.Page, error)

// Open returns an HTTP function for a page or a form that needs no session.
func Open[In any](s fn.Spec, serve Serve[In]) fn.Function {
	s.Access, s.ErrorPage = fn.Public, errorPages()
	open := func(e env.Env) (fn.Middleware[*Clerk], error) { return openMiddleware(e, s) }
	return fn.HTTP(s, open, func(env.Env) (func(context.Context, *Clerk, fn.Call[In]) (fn.Page, error), error) {
		return func(ctx context.Context, c *Clerk, call fn.Call[In]) (fn.Page, error) {
			return serve(ctx, Call[In]{call, c})
		}, nil
	})
}

// HTTP returns an HTTP function for staff. Without a session it redirects to the login. It is public, because the services behind the
// site verify the token.
func HTTP[In any](s fn.Spec, serve Serve[In]) fn.Function {
	return Open(s, func(ctx context.Context, c Call[In]) (fn.Page, error) {
		if !c.SignedIn() {
			return c.ToLogin(nil), nil
		}
		return serve(ctx, c)
	})
}

func openMiddleware(e env.Env, s fn.Spec) (fn.Middleware[*Clerk], error) {
	site, err := openSite(e)
	enter := func(_ context.Context, r *http.Request, _ identity.Identity) (*Clerk, fn.Scope, error) {
		c := site.clerk(r, e.Now())
		c.browser.Plain = s.Site(r).Plain
		return c, fn.Scope{}, nil
	}
	return fn.Middleware[*Clerk]{Resolve: enter}, err
}
