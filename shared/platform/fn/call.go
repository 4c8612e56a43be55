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

// A Call is one request to a function, decoded.
type Call[In any] struct {
	In        In
	Key       string            // the client's idempotency key, where the Spec asks for one
	Act       id.Request        // names what is being done: the same for every attempt under one idempotency key, so ids derived from it repeat
	Now       time.Time         // when it began
	RequestID string            // also in the answer and the log line
	Caller    identity.Identity // zero on a public function
	Header    http.Header       // of the request; read-only
	Site      Site              // where the browser is
	Address   netip.Addr        // of the client, as our own proxies saw it; zero where unknown
	// Speculative is a HEAD, or what a browser loads ahead: perhaps nobody ever looks at the answer, so it changes nothing.
	Speculative bool
}

// A Serve is the act of an HTTP function: from a decoded request to an answer or an error.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Handle is the act of an event function: nil acknowledges, an error asks for another delivery, [DeadLetter] gives up. That is so
// whatever kind of fault it is: what a neighbour refuses now may be right when it has caught up, or was deployed again.
// Whoever knows that it never will be, parks.
type Handle[P any] func(context.Context, event.Event[P]) error

// A Tick is the act of a scheduled function.
type Tick func(ctx context.Context, now time.Time) error

// A Middleware is what all routes of one service share: it turns a caller into the service's own visitor V before a body is read.
type Middleware[V any] struct {
	Resolve func(context.Context, *http.Request, identity.Identity) (V, Scope, error)

	// Begin writes what the visitor goes on with, such as a new session, right before the act or its replay: a request that is
	// refused for its limits or its form has written nothing. It returns the visitor and the scope as they are then; the
	// scope's cookies are sent in addition to those of Enter. Nil: there is nothing to write.
	Begin func(context.Context, *http.Request, V, Scope) (V, Scope, error)

	Ledger *idempotency.Ledger // required by functions that are Idempotent
	Path   []string            // wildcards of the routes that the middleware reads itself: no In has them

	// Headers are those that the middleware reads itself and that an answer depends on: with another value it is another request,
	// for which no idempotency key of the first is good. Which language a browser accepts is not among them: the same request
	// may be asked for in another.
	Headers []string

	// ContinueAs returns the cookie of the caller that an answer says the browser goes on as. Nil where no answer does.
	ContinueAs func(*http.Request, V, string) (*http.Cookie, error)

	// Origins are the exact origins, besides the request's own, whose pages may call and read what is answered. Nil: none.
	Origins func(context.Context, *http.Request) []string
}

// A Scope is on whose behalf a call acts. Tenant and Caller are part of the idempotency key.
type Scope struct {
	Tenant id.Tenant
	Caller string
	// Language is that of the visitor: every answer that does not say its own names it as Content-Language.
	Language string
	// Cookies are for the browser to keep whatever is answered, a refusal or a replay too. They belong to this telling of
	// the answer: no ledger keeps them.
	Cookies []*http.Cookie
}

// Open is a middleware that lets everybody in, for services without one of their own.
func Open(env.Env) (Middleware[Nothing], error) {
	return Middleware[Nothing]{Resolve: func(context.Context, *http.Request, identity.Identity) (Nothing, Scope, error) {
		return Nothing{}, Scope{}, nil
	}}, nil
}
