package fn

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// A Call is one decoded request to a function.
type Call[In any] struct {
	In      In
	Key     string      // the client's idempotency key, if the Spec requires one
	Act     id.Request  // the same for every attempt under one idempotency key, so ids derived from it repeat
	Now     time.Time   // when the call began
	Header  http.Header // request headers; read-only
	Site    Site        // how the browser reached the function
	Address netip.Addr  // of the client, as reported by our own proxies; zero if unknown
	// Speculative is set for a HEAD request and for a prefetch. The answer may never be shown, so the act must not change
	// anything.
	Speculative bool
}

// A Serve is the act of an HTTP function. It turns a decoded request into an answer or an error.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Handle is the act of an event function: nil acks, an error nacks (redelivery), [DeadLetter] gives up. Every kind of error is
// redelivered, because another service may be briefly behind or about to be deployed again. Return DeadLetter only for permanent
// failures.
type Handle[P any] func(context.Context, event.Event[P]) error

// A Tick is the act of a scheduled function.
type Tick func(ctx context.Context, now time.Time) error

// A Middleware is shared by all routes of one service. It turns a caller into the service's own visitor V before the body is
// read.
type Middleware[V any] struct {
	Resolve func(context.Context, *http.Request, identity.Identity) (V, Scope, error)

	// Begin writes the visitor's state, such as a new session, right before the act or its replay. A request that is rejected
	// for its rate or its form has written nothing. Begin returns the visitor and the scope after the write; the cookies of that
	// scope are sent in addition to those of Resolve. If Begin is nil, nothing is written.
	Begin func(context.Context, *http.Request, V, Scope) (V, Scope, error)

	Ledger *idempotency.Ledger // required if the Spec is Idempotent
	Path   []string            // route wildcards that the middleware reads itself; no In has them

	// Headers are the request headers that the middleware reads itself and that an answer depends on. They are part of the
	// request's hash, so an idempotency key is not valid for another value. Accept-Language is not among them: a retry may use
	// another language.
	Headers []string

	// ContinueAs returns the cookie for the caller named in Reply.ContinueAs. It is nil if no answer of the service uses that.
	ContinueAs func(*http.Request, V, string) (*http.Cookie, error)

	CORS CORS // other origins whose pages may call the function and read its answer
}

// A Scope identifies the principal of a call. Tenant and Caller are part of the idempotency key.
type Scope struct {
	Tenant id.Tenant
	Caller string
	// Language is the visitor's language. It becomes the Content-Language of every answer that does not set its own.
	Language string
	// Cookies are sent with every answer, also with errors and replays. The idempotency ledger does not store them.
	Cookies []*http.Cookie
}

// Open returns a middleware that accepts every caller, for services without a middleware of their own.
func Open(env.Env) (Middleware[Nothing], error) {
	return Middleware[Nothing]{Resolve: func(context.Context, *http.Request, identity.Identity) (Nothing, Scope, error) {
		return Nothing{}, Scope{}, nil
	}}, nil
}
