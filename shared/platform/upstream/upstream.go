// Package upstream calls other services within a budget.
//
// A call never waits longer than its policy and its context allow, whatever the other side does. It carries the request
// id, the trace and the caller's identity token. A circuit breaker stops calling a service that fails for several callers and
// arguments; retries are few and only where repeating is harmless. A refusal that the other side explains comes back as the same
// fault, without what it says of our request unless [Pointing] knows that it is our caller's; everything else, be it a timeout, a 5xx or garbage, is [fault.ErrUpstreamUnavailable]. Where the sandbox is
// deployed, the scenario that a caller plays is played by the neighbours too.
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
	Timeout time.Duration // of the whole call, retries included; zero leaves it to the context
	Retries int           // at most this many, and only where repeating is harmless

	// HedgeAfter is how long a read waits for an answer before it is sent a second time beside the first. Whichever is
	// answered first counts. It takes the place of a retry. Zero: never.
	HedgeAfter time.Duration
}

// A Client calls one service. Clients of one service share its breaker and its retry budget.
type Client struct {
	*service
	policy Policy
}

// Open returns a client for the service that UPSTREAM_<NAME>_URL points at. Nothing is dialled; a wrong configuration is
// the error of every call.
func Open(e env.Env, name string, p Policy) *Client {
	p.Timeout, p.HedgeAfter = e.Timeout(p.Timeout), e.Timeout(p.HedgeAfter)
	return &Client{openService(e, name), p}
}

// An Option adds to a request.
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

// Repeatable allows the call to be sent again: the ids in its body make it idempotent.
func Repeatable() Option {
	return func(c *call) { c.repeatable = true }
}

// Read marks a POST that changes nothing, because what it asks is too long for a URL. It may be sent again and hedged like a
// GET.
func Read() Option {
	return func(c *call) { c.repeatable, c.read = true, true }
}

// Pointing says what a member of our request is called in the request of our own caller, so that they are told which of
// theirs was refused. What it does not know is kept from them: it is about us.
func Pointing(at func(pointer string) (string, bool)) Option {
	return func(c *call) { c.point = at }
}

// Get asks for what is at path, below the service's base, and decodes the answer into out.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any, opts ...Option) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, &call{method: http.MethodGet, path: path, out: out, repeatable: true, read: true}, opts)
}

// Post sends in, encoded as JSON, and decodes the answer into out, which may be nil.
func (c *Client) Post(ctx context.Context, path string, in, out any, opts ...Option) error {
	return c.do(ctx, &call{method: http.MethodPost, path: path, in: in, out: out}, opts)
}

// Put sends in, encoded as JSON, and decodes the answer into out, which may be nil. It may be sent again.
func (c *Client) Put(ctx context.Context, path string, in, out any, opts ...Option) error {
	return c.do(ctx, &call{method: http.MethodPut, path: path, in: in, out: out, repeatable: true}, opts)
}
