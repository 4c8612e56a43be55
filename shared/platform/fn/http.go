package fn

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/decode"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// HTTP returns a function that answers requests. A service wraps HTTP once, with its middleware, so that its functions only give
// their Spec and the constructor of their act.
func HTTP[V, In, Out any](s Spec, middleware func(env.Env) (Middleware[V], error), build func(env.Env) (func(context.Context, V, Call[In]) (Out, error), error)) Function {
	f := Function{Spec: s.settled(), In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}
	f.build = func(e env.Env, s Spec) (endpoint, error) {
		d, err := middleware(e)
		if err != nil {
			return nil, err
		}
		if s.Idempotent && d.Ledger == nil {
			return nil, errors.New("is idempotent, but its middleware has no ledger")
		}
		h := &httpEnd[V, In, Out]{spec: s, middleware: d}
		if h.plan, err = decode.New(f.In, s.Route, d.Path...); err != nil {
			return nil, err
		}
		h.serve, err = build(e)
		return h, err
	}
	return f
}

// An httpEnd is the endpoint of an opened HTTP function.
type httpEnd[V, In, Out any] struct {
	spec       Spec
	plan       *decode.Plan
	middleware Middleware[V]
	serve      func(context.Context, V, Call[In]) (Out, error)
}

// act runs the stages of a request; the first error ends it. The caller is authenticated before the body is read.
func (h *httpEnd[V, In, Out]) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	caller, err := h.approach(ctx, r, c)
	if err != nil {
		return answer{}, err
	}
	if preflightMethod(r) != "" {
		return h.preflight(c)
	}
	visitor, scope, err := h.middleware.Resolve(ctx, r, caller)
	c.enter(scope)
	if err != nil {
		return answer{}, err
	}
	if h.spec.Access != Public {
		// These calls come from few addresses, so the circuit breakers of upstreams distinguish them by tenant and identity.
		o := event.OriginOf(ctx)
		o.Caller = scope.Tenant.String() + " " + scope.Caller
		ctx = event.WithOrigin(ctx, o)
	} else if err := c.countSession(scope); err != nil {
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
	if h.spec.IgnoresBody {
		body = nil
	}
	var in In
	if err := h.plan.Decode(r, body, &in, c.began); err != nil {
		return answer{}, err
	}
	if h.middleware.Begin != nil {
		scope.Cookies = nil // already sent
		visitor, scope, err = h.middleware.Begin(ctx, r, visitor, scope)
		if c.enter(scope); err != nil {
			return answer{}, err
		}
	}
	call := Call[In]{In: in, Key: key, Act: c.act, Now: c.began, Header: r.Header, Site: h.spec.Site(r), Address: c.from, Speculative: Speculative(r)}
	var a answer
	if anonymous := h.spec.Access == Public && scope.Caller == ""; anonymous || !h.spec.Idempotent {
		a, err = h.run(ctx, r, visitor, call) // all anonymous callers would share one claim
	} else {
		a, err = h.once(ctx, r, c, h.claim(r, scope, key, body), visitor, call)
	}
	if err != nil {
		return a, err
	}
	return a, h.continueAs(r, c, visitor, a)
}

// continueAs adds the cookie of the caller as which the browser continues, in place of the middleware's, which belongs to the
// previous caller. The ledger stores the name and no cookie, so each replay sets a fresh one.
func (h *httpEnd[V, In, Out]) continueAs(r *http.Request, c *record, v V, a answer) error {
	if a.ContinueAs == "" {
		return nil
	}
	cookie, err := h.middleware.ContinueAs(r, v, a.ContinueAs)
	if err != nil {
		return err
	}
	delete(c.header, "Set-Cookie")
	a.Header["Set-Cookie"] = []string{cookie.String()}
	return nil
}

// approach authenticates the caller, and counts the client's address before any service is called on its behalf. If a route is
// not public, calls of services are not counted, because services have few addresses.
func (h *httpEnd[V, In, Out]) approach(ctx context.Context, r *http.Request, c *record) (caller identity.Identity, err error) {
	if h.spec.Access == Public {
		if err := c.countAddress(); err != nil {
			return caller, err
		}
		return caller, h.origins(ctx, r, c)
	}
	caller, err = c.admit(ctx, r)
	if err != nil || caller.Staff {
		if limited := c.countAddress(); limited != nil {
			return caller, limited
		}
	}
	return caller, err
}

// run calls the act and encodes what it returns.
func (h *httpEnd[V, In, Out]) run(ctx context.Context, r *http.Request, v V, call Call[In]) (answer, error) {
	out, err := h.serve(ctx, v, call)
	if err != nil {
		return answer{}, err
	}
	return encode(r, h.spec.Answer, out)
}

// once runs the act, or replays the stored answer if the act has already run under the same key. It turns an error into its
// problem body here, so that the body can be stored and replayed byte for byte.
func (h *httpEnd[V, In, Out]) once(ctx context.Context, r *http.Request, c *record, claim idempotency.Claim, v V, call Call[In]) (answer, error) {
	a, replayed, err := h.middleware.Ledger.Do(ctx, claim, func(act id.Request) answer {
		call.Act = act
		a, err := h.run(ctx, r, v, call)
		if err != nil {
			return problem(r, c, err, nil)
		}
		return a
	})
	c.line.Replayed = replayed
	if replayed {
		c.header["Idempotent-Replayed"] = []string{"true"}
	}
	if err != nil && a.Status != 0 { // done, but not stored
		c.line.Cause, err = err, nil
	}
	return a, err
}

// leaseMargin is the time after a call's deadline until another call may take its lease over.
const leaseMargin = 5 * time.Second

// claim returns the idempotency claim of a request: scope, key and a hash of the request. JSON is hashed in its canonical form
// (RFC 8785), because a client may encode the members of a repeated request in another order. Of the middleware's headers only those
// that were sent are hashed, so that a new header does not change the hash of requests without it.
func (h *httpEnd[V, In, Out]) claim(req *http.Request, s Scope, key string, body []byte) idempotency.Claim {
	parts := [][]byte{[]byte(req.Method), []byte(req.URL.EscapedPath()), []byte(req.URL.RawQuery)}
	for _, name := range h.plan.Headers() {
		parts = append(parts, []byte(req.Header.Get(name)))
	}
	for _, name := range h.middleware.Headers {
		if value := req.Header.Get(name); value != "" {
			parts = append(parts, []byte(name), []byte(value))
		}
	}
	return idempotency.Claim{
		Tenant: s.Tenant, Caller: s.Caller, Route: h.spec.Name, Key: key,
		Request: idempotency.Hash(append(parts, h.canonical(body))...),
		Former:  idempotency.Hash(append(parts, body)...),
		Lease:   h.spec.Timeout + leaseMargin,
	}
}

// canonical returns the canonical form of a JSON body, and any other body as it is. It keeps numbers that have no exact canonical
// form.
func (h *httpEnd[V, In, Out]) canonical(body []byte) []byte {
	if h.plan.Reads("form") {
		return body
	}
	value := jsontext.Value(bytes.Clone(body))
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return body // an empty one
	}
	return value
}

// enter notes the scope of the call and the cookies that every answer sets.
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
