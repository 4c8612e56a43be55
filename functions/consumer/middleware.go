package consumer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// Schema is the SQL schema of this service.
const Schema = "bff_consumer"

// Base is the path prefix of every route of this service.
const Base = "/bff/consumer/v1"

// A Visitor represents the anonymous caller of a request: the session, the locale and currency of the answer, and hashes of
// the browser's properties.
type Visitor struct {
	Session     Session // zero only in functions that do not start sessions ([Unminted])
	Locale      locale.Tag
	Currency    money.Currency
	Campaign    attribution.Campaign
	Fingerprint pseudonym.Hash
	IP          pseudonym.Hash // "" if the address is unknown
	Agent       pseudonym.Hash
	Class       attribution.Device
	Referer     string // origin and path of the referring page
	Country     string // two letters from the load balancer's header; "" if unknown

	resolved *resolved // for the middleware
}

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	Visitor
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Rule changes what the middleware of a function does.
type Rule int

// Unminted admits visitors without a session and does not start one.
const Unminted Rule = iota

// HTTP returns an HTTP function for browsers and apps of travellers. A visitor without a session gets one when the request is
// accepted, before the act. The first call of a program (class other) gets none; functions with an idempotency key reject it.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error), rules ...Rule) fn.Function {
	s.Access = fn.Public
	for _, need := range []fn.Use{fn.Postgres, fn.Documents} {
		if !slices.Contains(s.Uses, need) {
			s.Uses = append(slices.Clip(s.Uses), need)
		}
	}
	if !slices.Contains(rules, Unminted) {
		s.Publishes = slices.Concat(s.Publishes, fn.Subjects{SessionStartedV1, SessionEndedV1, LocaleChangedV1, CurrencyChangedV1})
	}
	s.Publishes = onlyOnce(s.Publishes)
	open := func(e env.Env) (fn.Middleware[Visitor], error) { return openMiddleware(e, s, rules) }
	return fn.HTTP(s, open, func(e env.Env) (func(context.Context, Visitor, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, v Visitor, c fn.Call[In]) (Out, error) { return serve(ctx, Call[In]{c, v}) }, nil
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
	s.DeadLetter = "bff-consumer." + s.Subject + ".dlq"
	if s.Attempts == 0 {
		s.Attempts = 5
	}
	return fn.Event(s, build)
}

// A middleware resolves the session before the body is read, and starts one when the request is accepted.
type middleware struct {
	fingerprints fingerprinter
	sessions     *Sessions
	flags        *flags.Flags
	spec         fn.Spec
	minting      bool
}

// openMiddleware opens the idempotency ledger only for functions with an idempotency key.
func openMiddleware(e env.Env, s fn.Spec, rules []Rule) (opened fn.Middleware[Visitor], err error) {
	d := &middleware{flags: OpenFlags(e), spec: s, minting: !slices.Contains(rules, Unminted)}
	if d.fingerprints, err = openFingerprinter(e); err != nil {
		return opened, err
	}
	if d.sessions, err = OpenSessions(e); err != nil {
		return opened, err
	}
	opened.Resolve, opened.Begin = d.enter, d.begin
	opened.Headers = []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name"} // a handoff's link contains the campaign
	if s.Idempotent {
		opened.Ledger, err = idempotency.Open(e, postgres.Open(e, Schema))
	}
	return opened, err
}

// enter resolves the visitor's session and writes nothing, because the request may still be rejected. A new visitor gets a
// session in memory; begin stores it unless the session is passing (see [Session]).
func (d *middleware) enter(ctx context.Context, r *http.Request, _ identity.Identity) (v Visitor, s fn.Scope, err error) {
	d.flags.Refresh(ctx)
	seen := d.fingerprints.read(r)
	known, signed := d.sessions.FromCookie(r)
	var session Session
	if signed {
		if session, err = d.sessions.Get(ctx, known); err != nil && !errors.Is(err, ErrNotFound) {
			return seen.visitor, s, err
		}
	}
	// A cookie from before a rotation is valid only in the browser that the session was rotated in.
	if session.ID != known && !seen.knows(session.Fingerprint) {
		session = Session{}
	}
	if session.ID.IsZero() && d.minting {
		session = born(seen, r.Header, d.sessions.now())
		session.begun = true
		suspect := seen.visitor.Class == attribution.Other && !signed
		session.passing = suspect || fn.Speculative(r)
		if suspect && d.spec.Idempotent {
			return seen.visitor, s, ErrNoSession
		}
	}
	v, s = seen.as(session, r)
	v.resolved = &resolved{seen, known}
	return v, s, nil
}

// A resolved holds data that enter has read from the request, for begin.
type resolved struct {
	seen  browser
	known id.GuestSession // from the cookie, zero if there is none
}

// as returns the visitor with a session, and the scope of the call.
func (s browser) as(session Session, r *http.Request) (v Visitor, scope fn.Scope) {
	v = s.visitor
	v.Session = session
	if !session.ID.IsZero() {
		scope.Caller = session.ID.String()
	}
	v.Locale, v.Currency = prefers(r.Header, v)
	scope.Language = string(v.Locale)
	v.Campaign = session.Campaign.Or(v.Campaign)
	return v, scope
}

// begin stores the session of a new visitor or the changes of a known one, and sets a cookie if the browser must replace the
// one that it sent. The first call of a program gets a cookie for a session that is not stored; if the program sends that
// cookie with a later call, begin starts a session.
func (d *middleware) begin(ctx context.Context, r *http.Request, v Visitor, s fn.Scope) (Visitor, fn.Scope, error) {
	if !d.minting || fn.Speculative(r) {
		return v, s, nil
	}
	session, cookie, err := d.admit(ctx, r, v)
	if err != nil {
		return v, s, err
	}
	v, s = v.resolved.seen.as(session, r)
	if cookie != nil {
		s.Cookies = []*http.Cookie{cookie}
	}
	return v, s, nil
}

// admit returns the stored session, and a cookie if the browser must replace the one that it sent.
func (d *middleware) admit(ctx context.Context, r *http.Request, v Visitor) (Session, *http.Cookie, error) {
	session, seen, now := v.Session, v.resolved.seen, d.sessions.now()
	switch {
	case session.passing:
		cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
		return session, cookie, err
	case session.begun:
		return d.start(ctx, r, session, seen)
	case !seen.knows(session.Fingerprint):
		return d.rotate(ctx, r, session, seen, now)
	}
	return d.continueSession(ctx, r, session, v.resolved.known, seen, now)
}

func (d *middleware) start(ctx context.Context, r *http.Request, session Session, seen browser) (Session, *http.Cookie, error) {
	session.begun = true
	if err := d.sessions.Begin(ctx, session, seen.visitor.Class); err != nil {
		return session, nil, err
	}
	cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
	return session, cookie, err
}

// rotate ends a session whose browser fingerprint has changed and starts a new one. The new session inherits preferences,
// consents and the wishlist, but not the viewed hotels and searches.
func (d *middleware) rotate(ctx context.Context, r *http.Request, old Session, seen browser, now time.Time) (Session, *http.Cookie, error) {
	next, err := d.sessions.Rotate(ctx, old, born(seen, r.Header, now), seen.visitor.Class)
	if errors.Is(err, ErrNotFound) || (err == nil && !seen.knows(next.Fingerprint)) {
		return d.start(ctx, r, born(seen, r.Header, now), seen)
	}
	if err != nil {
		return next, nil, err
	}
	cookie, err := d.sessions.Cookie(next.ID, d.spec.Site(r))
	return next, cookie, err
}

// continueSession extends the lifetime of a session that was not seen for a while. It records the first campaign and the
// language that the browser accepts now. It also stores the fingerprint under the newest pepper, so that removing an old
// pepper does not end sessions. If storing fails, the request continues; a later request stores the changes.
func (d *middleware) continueSession(ctx context.Context, r *http.Request, session Session, known id.GuestSession, seen browser, now time.Time) (Session, *http.Cookie, error) {
	var err error
	kept := session
	brought := session.Campaign == (attribution.Campaign{}) && seen.visitor.Campaign != (attribution.Campaign{})
	switch {
	case brought, session.Fingerprint != seen.visitor.Fingerprint, session.accepted(r.Header) != session.Locale:
		kept, err = d.sessions.Choose(ctx, session.ID, func(s *Session) []event.Draft {
			s.attribute(seen.visitor.Campaign, now)
			s.Fingerprint = seen.visitor.Fingerprint
			return s.renegotiate(r.Header, now)
		})
	case now.Sub(session.LastSeenAt) > seenInterval:
		kept, err = d.sessions.Change(ctx, session.ID, func(*Session) {})
	case session.ID == known:
		return session, nil, nil
	}
	switch {
	case errors.Is(err, ErrNotFound), err == nil && kept.ID.IsZero():
		return d.start(ctx, r, born(seen, r.Header, now), seen) // another request ended it meanwhile
	case err == nil:
		session = kept
	}
	cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
	return session, cookie, err
}
