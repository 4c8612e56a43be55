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
}

// A Call is a request to this service.
type Call[In any] struct {
	fn.Call[In]
	Visitor
}

// A Serve is the act of one of this service's HTTP functions.
type Serve[In, Out any] func(context.Context, Call[In]) (Out, error)

// A Rule changes what the door of a function does.
type Rule int

// Unminted lets in who has no session, and begins none.
const Unminted Rule = iota

// HTTP makes an HTTP function for travellers' browsers and apps. Whoever has no session is given one, whatever is answered.
func HTTP[In, Out any](s fn.Spec, build func(env.Env) (Serve[In, Out], error), rules ...Rule) fn.Function {
	s.Access = fn.Public
	for _, need := range []fn.Use{fn.Postgres, fn.Documents} {
		if !slices.Contains(s.Uses, need) {
			s.Uses = append(slices.Clip(s.Uses), need)
		}
	}
	if !slices.Contains(rules, Unminted) {
		s.Emits = slices.Concat(s.Emits, fn.Emits{SessionStartedV1, SessionEndedV1, LocaleChangedV1, CurrencyChangedV1})
	}
	s.Emits = onlyOnce(s.Emits)
	door := func(e env.Env) (fn.Door[Visitor], error) { return openDoor(e, s, rules) }
	return fn.HTTP(s, door, func(e env.Env) (func(context.Context, Visitor, fn.Call[In]) (Out, error), error) {
		serve, err := build(e)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, v Visitor, c fn.Call[In]) (Out, error) { return serve(ctx, Call[In]{c, v}) }, nil
	})
}

// onlyOnce leaves out what was named before.
func onlyOnce(subjects fn.Emits) (kept fn.Emits) {
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

// A door knows the session, or begins one, before a body is read.
type door struct {
	glass    glass
	sessions *Sessions
	flags    *flags.Flags
	spec     fn.Spec
	minting  bool
}

// openDoor opens the ledger only for those who need it: to read, no key is needed.
func openDoor(e env.Env, s fn.Spec, rules []Rule) (opened fn.Door[Visitor], err error) {
	d := &door{flags: OpenFlags(e), spec: s, minting: !slices.Contains(rules, Unminted)}
	if d.glass, err = openGlass(e); err != nil {
		return opened, err
	}
	if d.sessions, err = OpenSessions(e); err != nil {
		return opened, err
	}
	opened.Enter = d.enter
	opened.Headers = []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name"} // a handoff's link names the campaign
	if s.Idempotent {
		opened.Ledger, err = idempotency.Open(e, postgres.Open(e, Schema))
	}
	return opened, err
}

// enter finds the session or begins one. What nobody may ever look at begins none: its visitor is somebody for one answer.
func (d *door) enter(ctx context.Context, r *http.Request, _ identity.Identity) (v Visitor, s fn.Scope, err error) {
	d.flags.Refresh(ctx)
	seen := d.glass.look(r)
	v = seen.visitor
	session, cookie, err := d.admit(ctx, r, seen)
	if err != nil {
		return v, s, err
	}
	if cookie != nil {
		s.Cookies = []*http.Cookie{cookie}
	}
	if !session.ID.IsZero() {
		s.Caller = session.ID.String()
	}
	v.Session = session
	v.Locale, v.Currency = prefers(r.Header, v)
	s.Language = string(v.Locale)
	v.Campaign = session.Campaign.Or(v.Campaign)
	return v, s, nil
}

// admit returns the visitor's session, and a cookie where the browser is to keep another one than it has sent.
func (d *door) admit(ctx context.Context, r *http.Request, seen sight) (Session, *http.Cookie, error) {
	known, signed := d.sessions.FromCookie(r)
	var session Session
	if signed {
		found, err := d.sessions.Get(ctx, known)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return session, nil, err
		}
		session = found
	}
	// A cookie from before a rotation is good for the browser that was rotated, and for no other.
	if session.ID != known && !seen.knows(session.Fingerprint) {
		session = Session{}
	}
	if !d.minting || fn.Speculative(r) {
		return d.passing(session, seen, r), nil, nil
	}
	now := d.sessions.now()
	switch {
	case session.ID.IsZero():
		return d.begin(ctx, r, seen, now)
	case !seen.knows(session.Fingerprint):
		return d.rotate(ctx, r, session, seen, now)
	}
	return d.goOn(ctx, r, session, known, seen, now)
}

// passing is the session of a visitor for whom nothing is kept.
func (d *door) passing(session Session, seen sight, r *http.Request) Session {
	if session.ID.IsZero() && d.minting {
		session = born(seen, r.Header, d.sessions.now())
		session.begun = true
	}
	return session
}

func (d *door) begin(ctx context.Context, r *http.Request, seen sight, now time.Time) (Session, *http.Cookie, error) {
	session := born(seen, r.Header, now)
	session.begun = true
	if err := d.sessions.Begin(ctx, session, seen.visitor.Class); err != nil {
		return session, nil, err
	}
	cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
	return session, cookie, err
}

// rotate ends a session that seems to be in another browser than before. The visit goes on in a new one, with what the guest
// chose, agreed to and wished for, and without what they looked at.
func (d *door) rotate(ctx context.Context, r *http.Request, old Session, seen sight, now time.Time) (Session, *http.Cookie, error) {
	next, err := d.sessions.Rotate(ctx, old, born(seen, r.Header, now), seen.visitor.Class)
	if errors.Is(err, ErrNotFound) || (err == nil && !seen.knows(next.Fingerprint)) {
		return d.begin(ctx, r, seen, now)
	}
	if err != nil {
		return next, nil, err
	}
	cookie, err := d.sessions.Cookie(next.ID, d.spec.Site(r))
	return next, cookie, err
}

// goOn lets the session live on, where it was not seen for a while, and notes the campaign that brings its guest for the
// first time and the language that the browser accepts now. Of the same browser it keeps the fingerprint under the newest pepper, so that taking an old one away ends no
// session. None of that is worth an answer: what cannot be kept now is kept another time.
func (d *door) goOn(ctx context.Context, r *http.Request, session Session, known id.GuestSession, seen sight, now time.Time) (Session, *http.Cookie, error) {
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
		return d.begin(ctx, r, seen, now) // it was ended meanwhile
	case err == nil:
		session = kept
	}
	cookie, err := d.sessions.Cookie(session.ID, d.spec.Site(r))
	return session, cookie, err
}
