package consumer

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/functions/consumer/internal/bots"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	session.Visitor
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Rule changes what the middleware of a function does.
type Rule int

// StartsNoSession admits visitors without a session and does not start one.
const StartsNoSession Rule = iota

// HTTP returns an HTTP function for browsers and apps of travellers. A visitor without a session gets one when the request is
// accepted, before the act. The first call of a program gets none; functions with an idempotency key reject it. A request that
// looks automatic is challenged before it gets a session, see [bots.Guard.Check].
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error), rules ...Rule) fn.Function {
	s.Access = fn.Public
	for _, need := range []fn.Use{fn.Postgres, fn.Documents, fn.Upstream("challenge")} {
		if !slices.Contains(s.Uses, need) {
			s.Uses = append(slices.Clip(s.Uses), need)
		}
	}
	s.Publishes = append(slices.Clip(s.Publishes), session.BotSuspectedV1)
	if !slices.Contains(rules, StartsNoSession) {
		s.Publishes = slices.Concat(s.Publishes, fn.Subjects{session.SessionStartedV1, session.SessionEndedV1, session.LocaleChangedV1})
	}
	s.Publishes = onlyOnce(s.Publishes)
	open := func(e env.Env) (fn.Middleware[visitor], error) { return openMiddleware(e, s, rules) }
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, visitor, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		guard, err := bots.OpenGuard(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, v visitor, c fn.Call[In]) (out Out, err error) {
			if v.unchecked {
				if v.Visitor, err = guard.Check(ctx, bots.Request{Function: s.Name, Header: c.Header}, v.Visitor); err != nil {
					return out, err
				}
			}
			return serve(ctx, Call[In]{c, v.Visitor})
		}, nil
	})
}

// onlyOnce returns the subjects without duplicates.
func onlyOnce(subjects fn.Subjects) (kept fn.Subjects) {
	for _, s := range subjects {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// Event returns an event function. Messages that fail permanently go to the dead-letter topic of the subject.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.Subscription = "bff-consumer." + strings.TrimPrefix(s.Subject, "melmastoon.")
	s.DeadLetter = "bff-consumer." + s.Subject + ".dlq"
	if s.Attempts == 0 {
		s.Attempts = 5
	}
	return fn.Event(s, build)
}

// A visitor is the caller of a request. If it is unchecked, bot detection runs in the act, after the idempotency key was looked up:
// a replay counts neither as a request nor as an answer to a challenge.
type visitor struct {
	session.Visitor

	unchecked bool
}

// A middleware resolves the visitor before the body is read, and stores the session when the request is accepted.
type middleware struct {
	visitors *session.Resolver
	guard    *bots.Guard
	flags    *flags.Flags
	spec     fn.Spec
	starts   bool // starts a session if the visitor has none
}

// openMiddleware opens the idempotency ledger only for functions with an idempotency key.
func openMiddleware(e env.Env, s fn.Spec, rules []Rule) (opened fn.Middleware[visitor], err error) {
	m := &middleware{flags: session.OpenFlags(e), spec: s, starts: !slices.Contains(rules, StartsNoSession)}
	if m.visitors, err = session.OpenResolver(e); err != nil {
		return opened, err
	}
	if m.guard, err = bots.OpenGuard(e); err != nil {
		return opened, err
	}
	opened.Resolve, opened.Begin = m.resolve, m.begin
	opened.Headers = []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name"} // a handoff's link contains the campaign
	if s.Idempotent {
		opened.Ledger, err = idempotency.Open(e, postgres.Open(e, session.Schema))
	}
	return opened, err
}

// resolve returns the visitor of a request and stores no session. A request with an idempotency key and a stored session is
// checked in the act. The first call of a program must not have an idempotency key, because its session is not stored.
func (m *middleware) resolve(ctx context.Context, r *http.Request, _ identity.Identity) (v visitor, s fn.Scope, err error) {
	m.flags.Refresh(ctx)
	if v.Visitor, err = m.visitors.Resolve(ctx, r, m.starts); err != nil {
		return v, s, err
	}
	v.Visitor = m.guard.Crawler(ctx, r, v.Visitor)
	v.unchecked = m.spec.Idempotent && v.StoredSession() != nil
	if !v.unchecked {
		if v.Visitor, err = m.guard.Check(ctx, bots.Request{Function: m.spec.Name, Header: r.Header, Starts: m.starts, Defers: !m.spec.Idempotent}, v.Visitor); err != nil {
			return v, s, err
		}
	}
	if m.starts && m.spec.Idempotent && v.IsNewProgram() {
		return v, s, ErrNoSession
	}
	return v, scopeOf(v.Visitor), nil
}

// begin stores the session, unless the answer may never be shown, and sets a cookie if the browser must replace its own.
func (m *middleware) begin(ctx context.Context, r *http.Request, v visitor, s fn.Scope) (visitor, fn.Scope, error) {
	if !m.starts || fn.Speculative(r) || v.IsCrawler() {
		return v, s, nil
	}
	admitted, cookie, err := m.visitors.Admit(ctx, r, v.Visitor, m.spec.Site(r))
	if err != nil {
		return v, s, err
	}
	v.Visitor, s = admitted, scopeOf(admitted)
	if cookie != nil {
		s.Cookies = []*http.Cookie{cookie}
	}
	return v, s, nil
}

// scopeOf returns the scope of a visitor's call.
func scopeOf(v session.Visitor) fn.Scope {
	s := fn.Scope{Language: string(v.Locale)}
	if !v.Session.ID.IsZero() {
		s.Caller = v.Session.ID.String()
	}
	return s
}
