package fn

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// HTTP makes a function that answers requests. A service wraps it once, with its middleware, so that its verbs only say their
// Spec and how to build their act.
func HTTP[V, In, Out any](s Spec, middleware func(env.Env) (Middleware[V], error), build func(env.Env) (func(context.Context, V, Call[In]) (Out, error), error)) Function {
	f := Function{Spec: s.settled(), In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}
	f.build = func(e env.Env, s Spec) (endpoint, error) {
		if s.Idempotent && f.Out.Implements(reflect.TypeFor[packer]()) {
			return nil, errors.New("is idempotent, and its answers are packed")
		}
		d, err := middleware(e)
		if err != nil {
			return nil, err
		}
		r, err := newRoute(e, s, f.In, d.Path)
		if err != nil {
			return nil, err
		}
		if s.Idempotent && d.Ledger == nil {
			return nil, errors.New("is idempotent, but its middleware has no ledger")
		}
		serve, err := build(e)
		return &httpEnd[V, In, Out]{route: r, middleware: d, serve: serve}, err
	}
	return f
}

// A route is what an HTTP function needs that does not depend on its types.
type route struct {
	spec Spec
	gate auth
	plan *plan
}

func newRoute(e env.Env, s Spec, in reflect.Type, taken []string) (route, error) {
	p, err := planFor(in, s.Route, taken...)
	if err != nil {
		return route{}, err
	}
	g, err := newGate(e, s)
	return route{spec: s, gate: g, plan: p}, err
}

// An httpEnd is the endpoint of an HTTP function that was opened.
type httpEnd[V, In, Out any] struct {
	route
	middleware Middleware[V]
	serve      func(context.Context, V, Call[In]) (Out, error)
}

// act goes through the stages of a request; the first that refuses ends it. A caller is known before the body is read.
func (h *httpEnd[V, In, Out]) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	caller, err := h.approach(ctx, r, c)
	if err != nil {
		return answer{}, err
	}
	if asks(r) != "" {
		return preflight(c)
	}
	visitor, scope, err := h.middleware.Resolve(ctx, r, caller)
	c.enter(scope)
	if err != nil {
		return answer{}, err
	}
	if h.spec.Access != Public {
		ctx = withCaller(ctx, scope)
	} else if err := c.settle(scope); err != nil {
		return answer{}, err
	}
	key, err := idempotencyKey(r.Header, h.spec.Idempotent)
	if err != nil {
		return answer{}, err
	}
	body, err := readBody(ctx, c, r, h.spec.BodyLimit)
	if err != nil {
		return answer{}, err
	}
	var in In
	if err := h.plan.decode(r, body, &in, c.began); err != nil {
		return answer{}, err
	}
	if h.middleware.Begin != nil {
		scope.Cookies = nil // those are sent already
		visitor, scope, err = h.middleware.Begin(ctx, r, visitor, scope)
		if c.enter(scope); err != nil {
			return answer{}, err
		}
	}
	call := Call[In]{In: in, Key: key, Act: c.act, Now: c.began, RequestID: c.line.RequestID, Caller: caller, Header: r.Header,
		Site: h.spec.Site(r), Address: c.from, Speculative: Speculative(r)}
	var a answer
	if anonymous := h.spec.Access == Public && scope.Caller == ""; anonymous || !h.spec.Idempotent {
		a, err = h.run(ctx, r, c, visitor, call) // all anonymous callers would share one claim
	} else {
		a, err = h.once(ctx, r, c, scope, h.claim(r, scope, h.middleware.Headers, key, body), visitor, call)
	}
	if err != nil {
		return a, err
	}
	return a, h.continueAs(r, c, visitor, a)
}

// continueAs is what an answer calls the caller that the browser goes on as. It is no header that can be sent.
const continueAs = "/Continue-As"

// continueAs adds the cookie of that caller, in place of the middleware's, which is of the caller before. The ledger keeps the name and no
// cookie, so each telling of the answer has its own.
func (h *httpEnd[V, In, Out]) continueAs(r *http.Request, c *record, v V, a answer) error {
	caller, ok := a.Header[continueAs]
	if !ok {
		return nil
	}
	delete(a.Header, continueAs)
	cookie, err := h.middleware.ContinueAs(r, v, caller[0])
	if err != nil {
		return err
	}
	delete(c.header, "Set-Cookie")
	a.Header["Set-Cookie"] = []string{cookie.String()}
	return nil
}

// approach identifies the caller, and counts the client's address before any service is asked on its behalf. If a route is not
// public, calls of services are not counted: services have few addresses.
func (h *httpEnd[V, In, Out]) approach(ctx context.Context, r *http.Request, c *record) (caller identity.Identity, err error) {
	if h.spec.Access == Public {
		if err := c.arrive(); err != nil {
			return caller, err
		}
		return caller, h.origins(ctx, r, c)
	}
	caller, err = h.gate.admit(ctx, r, c)
	if err != nil || caller.Staff {
		if limited := c.arrive(); limited != nil {
			return caller, limited
		}
	}
	return caller, err
}

// run calls the act and encodes what it returns.
func (h *httpEnd[V, In, Out]) run(ctx context.Context, r *http.Request, c *record, v V, call Call[In]) (answer, error) {
	out, err := h.serve(ctx, v, call)
	if err != nil {
		return answer{}, err
	}
	return encode(r, c, h.spec.Answer, out)
}

// once runs the act unless it was run before under the same key: then its answer is given again. A refusal becomes its
// problem here, so that it too can be kept, byte for byte.
func (h *httpEnd[V, In, Out]) once(ctx context.Context, r *http.Request, c *record, s Scope, claim idempotency.Claim, v V, call Call[In]) (answer, error) {
	a, replayed, err := h.middleware.Ledger.Do(ctx, claim, func(act id.Request) answer {
		call.Act = act
		a, err := c.perform(s, func() answer {
			a, err := h.run(ctx, r, c, v, call)
			if err != nil {
				a = problem(r, c, err)
			}
			return a
		})
		if err != nil {
			a = problem(r, c, err)
		}
		return a
	})
	c.line.Replayed = replayed
	if replayed {
		c.header["Idempotent-Replayed"] = []string{"true"}
	}
	if err != nil && a.Status != 0 { // done, but not kept
		c.line.Cause, err = err, nil
	}
	return a, err
}

// leaseMargin is what a call may take beyond its deadline before another may take over.
const leaseMargin = 5 * time.Second

// claim says what is to be done once: for whom, by which key, and what exactly. Of the middleware's headers only those that were
// sent count, so that naming one more makes no other request of those that never send it.
func (r route) claim(req *http.Request, s Scope, headers []string, key string, body []byte) idempotency.Claim {
	parts := [][]byte{[]byte(req.Method), []byte(req.URL.EscapedPath()), []byte(req.URL.RawQuery)}
	for _, f := range r.plan.fields {
		if f.source == "header" {
			parts = append(parts, []byte(req.Header.Get(f.name)))
		}
	}
	for _, name := range headers {
		if value := req.Header.Get(name); value != "" {
			parts = append(parts, []byte(name), []byte(value))
		}
	}
	return idempotency.Claim{
		Tenant: s.Tenant, Caller: s.Caller, Route: r.spec.Name, Key: key,
		Request: idempotency.Hash(append(parts, body)...),
		Lease:   r.spec.Timeout + leaseMargin,
	}
}

// withCaller returns the context of a call by a service or by staff. They come from a few addresses, so the circuit breakers of
// upstreams tell them apart by tenant and identity.
func withCaller(ctx context.Context, s Scope) context.Context {
	o := event.OriginOf(ctx)
	o.Caller = s.Tenant.String() + " " + s.Caller
	return event.WithOrigin(ctx, o)
}

// enter notes on whose behalf the call acts, and what the browser is to keep whatever comes of it.
func (c *record) enter(s Scope) {
	if !s.Tenant.IsZero() {
		c.line.Tenant = s.Tenant.String()
	}
	if s.Language != "" {
		c.header["Content-Language"] = []string{s.Language}
	}
	for _, cookie := range s.Cookies {
		c.header["Set-Cookie"] = append(c.header["Set-Cookie"], cookie.String())
	}
}
