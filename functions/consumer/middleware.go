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

// Schema is where the tables of this service are.
const Schema = "bff_consumer"

// Base is what every route of this service begins with.
const Base = "/bff/consumer/v1"

// A Visitor is who looks for a hotel: the session, what the visit is read and counted in, and what the browser shows of
// itself, hashed.
type Visitor struct {
	Session     Session // zero only in functions that begin none ([Unminted])
	Locale      locale.Tag
	Currency    money.Currency
	Campaign    attribution.Campaign
	Fingerprint pseudonym.Hash
	IP          pseudonym.Hash // "" where the address is not known
	Agent       pseudonym.Hash
	Class       attribution.Device
	Referer     string // where the visitor comes from: origin and path
	Country     string // two letters, as the load balancer tells it; "" where it does not

	met *meeting // for the middleware
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

// Unminted lets in who has no session, and begins none.
const Unminted Rule = iota

// HTTP makes an HTTP function for travellers' browsers and apps. A visitor without a session is given one when the request is
// accepted, before the act. A program's first call (class other) is given none; functions with an idempotency key reject it.
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

// onlyOnce leaves out what was named before.
func onlyOnce(subjects fn.Subjects) (kept fn.Subjects) {
	for _, s := range subjects {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// Event makes an event function. What can never succeed goes to the dead letters of its subject.
func Event[P any](s fn.Spec, build func(env.Env) (fn.Handle[P], error)) fn.Function {
	s.DeadLetter = "bff-consumer." + s.Subject + ".dlq"
	if s.Attempts == 0 {
		s.Attempts = 5
	}
	return fn.Event(s, build)
}

// A middleware knows the session before a body is read, and begins one when the request is accepted.
type middleware struct {
	glass    fingerprinter
	sessions *Sessions
	flags    *flags.Flags
	spec     fn.Spec
	minting  bool
}

// openMiddleware opens the ledger only for those who need it: to read, no key is needed.
func openMiddleware(e env.Env, s fn.Spec, rules []Rule) (opened fn.Middleware[Visitor], err error) {
	d := &middleware{flags: OpenFlags(e), spec: s, minting: !slices.Contains(rules, Unminted)}
	if d.glass, err = openGlass(e); err != nil {
		return opened, err
	}
	if d.sessions, err = OpenSessions(e); err != nil {
		return opened, err
	}
	opened.Resolve, opened.Begin = d.enter, d.begin
	opened.Headers = []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name"} // a handoff's link names the campaign
	if s.Idempotent {
		opened.Ledger, err = idempotency.Open(e, postgres.Open(e, Schema))
	}
	return opened, err
}

// enter finds the visitor's session and writes nothing: the request may still be refused. A new visitor has a session that is
// not written yet. It is written by begin, unless the visitor is passing: see [Session].
func (d *middleware) enter(ctx context.Context, r *http.Request, _ identity.Identity) (v Visitor, s fn.Scope, err error) {
	d.flags.Refresh(ctx)
	seen := d.glass.read(r)
	known, signed := d.sessions.FromCookie(r)
	var session Session
	if signed {
		if session, err = d.sessions.Get(ctx, known); err != nil && !errors.Is(err, ErrNotFound) {
			return seen.visitor, s, err
		}
	}
	// A cookie from before a rotation is good for the browser that was rotated, and for no other.
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
	v.met = &meeting{seen, known}
	return v, s, nil
}

// A meeting is what the middleware has found out on entering, for begin.
type meeting struct {
	seen  browser
	known id.GuestSession // from the cookie, zero if there is none
}

// as returns the visitor in a session, and the scope of their call.
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

// begin writes the session of a new visitor, or what has changed in the known one, and adds a cookie if the browser is to keep
// another one than it has sent. The first call of a program is given a cookie of a session that does not exist: if it comes back
// with that cookie, it is given one that does.
func (d *middleware) begin(ctx context.Context, r *http.Request, v Visitor, s fn.Scope) (Visitor, fn.Scope, error) {
	if !d.minting || fn.Speculative(r) {
		return v, s, nil
	}
	session, cookie, err := d.admit(ctx, r, v)
	if err != nil {
		return v, s, err
	}
	v, s = v.met.seen.as(session, r)
	if cookie != nil {
		s.Cookies = []*http.Cookie{cookie}
	}
	return v, s, nil
}

// admit returns the visitor's session as it is written, and a cookie if the browser is to keep another one than it has sent.
func (d *middleware) admit(ctx context.Context, r *http.Request, v Visitor) (Session, *http.Cookie, error) {
	session, seen, now := v.Session, v.met.seen, d.sessions.now()
	switch {
	case session.passing:
		cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
		return session, cookie, err
	case session.begun:
		return d.start(ctx, r, session, seen)
	case !seen.knows(session.Fingerprint):
		return d.rotate(ctx, r, session, seen, now)
	}
	return d.continueSession(ctx, r, session, v.met.known, seen, now)
}

func (d *middleware) start(ctx context.Context, r *http.Request, session Session, seen browser) (Session, *http.Cookie, error) {
	session.begun = true
	if err := d.sessions.Begin(ctx, session, seen.visitor.Class); err != nil {
		return session, nil, err
	}
	cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
	return session, cookie, err
}

// rotate ends a session that seems to be in another browser than before. The visit goes on in a new one, with what the guest
// chose, agreed to and wished for, and without what they looked at.
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

// continueSession lets the session live on, where it was not seen for a while, and notes the campaign that brings its guest for the
// first time and the language that the browser accepts now. Of the same browser it keeps the fingerprint under the newest pepper, so that taking an old one away ends no
// session. None of that is worth an answer: what cannot be kept now is kept another time.
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
	case now.Sub(session.LastSeenAt) > sightEvery:
		kept, err = d.sessions.Change(ctx, session.ID, func(*Session) {})
	case session.ID == known:
		return session, nil, nil
	}
	switch {
	case errors.Is(err, ErrNotFound), err == nil && kept.ID.IsZero():
		return d.start(ctx, r, born(seen, r.Header, now), seen) // it was ended meanwhile
	case err == nil:
		session = kept
	}
	cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
	return session, cookie, err
}
