// Package upstream calls other services, with timeout, retry budget, hedged requests and circuit breaker.
//
// A call never takes longer than its policy and its context allow. It carries the request id, the trace and the caller's
// identity token. The circuit breaker stops calls to a service that fails for several callers and arguments; retries are few and
// only for calls that are safe to repeat. If the service rejects a request with an explanation, the call returns the same fault,
// without the violations of our request unless [Pointing] maps them to our caller's; every other failure, such as a timeout, a
// 5xx or an unreadable response, is [fault.ErrUpstreamUnavailable]. Calls pass the forwarded header on.
// Each request, also a retry or a hedged one, has a span id of its own, by which the receiver tells them apart.
package upstream

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Policy bounds a call.
type Policy struct {
	Timeout time.Duration // of the whole call including retries; if it is zero, only the context counts
	Retries int           // maximum number, only for calls that are safe to repeat

	// HedgeAfter is the time after which an unanswered read is sent a second time, concurrently. The first response counts. A
	// hedged request replaces a retry. Zero disables it.
	HedgeAfter time.Duration
}

// A Client calls one service. Clients of one service share its breaker and its retry budget.
type Client struct {
	*service
	policy Policy
}

// Open returns a client for the service at UPSTREAM_<NAME>_URL. It does not connect. If the configuration is wrong, every call
// returns that error.
func Open(e env.Env, name string, p Policy) *Client {
	p.Timeout, p.HedgeAfter = e.Timeout(p.Timeout), e.Timeout(p.HedgeAfter)
	return &Client{openService(e, name), p}
}

// An Option modifies a call.
type Option func(*call)

// Key sends an idempotency key, which also makes the call repeatable.
func Key(k string) Option {
	return func(c *call) {
		if k != "" {
			c.header.Set("Idempotency-Key", k)
			c.repeatable = true
		}
	}
}

// Tenant sends X-Tenant-Id.
func Tenant(t id.Tenant) Option {
	return func(c *call) { c.header.Set("X-Tenant-Id", t.String()) }
}

// Repeatable allows retries: the ids in the body make the call idempotent.
func Repeatable() Option {
	return func(c *call) { c.repeatable = true }
}

// Read marks a POST that changes nothing and uses a body because its query is too long for a URL. It may be retried and hedged
// like a GET.
func Read() Option {
	return func(c *call) { c.repeatable, c.read = true, true }
}

// Pointing maps pointers in our request to pointers in our own caller's request, so that violations point to the caller's
// members. Violations without a mapping are dropped, because they concern only our request.
func Pointing(at func(pointer string) (string, bool)) Option {
	return func(c *call) { c.point = at }
}

// Get requests path, below the service's base URL, and decodes the response into out.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any, opts ...Option) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, &call{method: http.MethodGet, path: path, out: out, repeatable: true, read: true}, opts)
}

// Post sends in, encoded as JSON, and decodes the response into out, which may be nil.
func (c *Client) Post(ctx context.Context, path string, in, out any, opts ...Option) error {
	return c.do(ctx, &call{method: http.MethodPost, path: path, in: in, out: out}, opts)
}

// Put sends in, encoded as JSON, and decodes the response into out, which may be nil. It may be retried.
func (c *Client) Put(ctx context.Context, path string, in, out any, opts ...Option) error {
	return c.do(ctx, &call{method: http.MethodPut, path: path, in: in, out: out, repeatable: true}, opts)
}
