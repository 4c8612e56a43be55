package session

import (
	"context"
	"errors"
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Resolver finds the session of a request, and starts, rotates or extends it when the request is accepted.
type Resolver struct {
	fingerprints fingerprinter
	sessions     *Sessions
}

// OpenResolver opens the sessions and loads the keys.
func OpenResolver(e env.Env) (*Resolver, error) {
	fingerprints, err := openFingerprinter(e)
	if err != nil {
		return nil, err
	}
	sessions, err := OpenSessions(e)
	return &Resolver{fingerprints: fingerprints, sessions: sessions}, err
}

// Resolve returns the visitor of a request and writes nothing, because the request may still be rejected. If start is set, a
// visitor without a session gets a session in memory; Admit stores it unless the session is passing (see [Session]).
func (r *Resolver) Resolve(ctx context.Context, req *http.Request, start bool) (Visitor, error) {
	seen := r.fingerprints.read(req)
	known, signed := r.sessions.FromCookie(req)
	seen.visitor.known, seen.visitor.program = known, attribution.ProgramOf(req.Header) != "" && known.IsZero()
	var session Session
	if signed {
		var err error
		if session, err = r.sessions.Get(ctx, known); err != nil && !errors.Is(err, fault.ErrNotFound) {
			return seen.visitor, err
		}
	}
	// A cookie from before a rotation is valid only in the browser that the session was rotated in.
	if session.ID != known && !seen.matches(session.Fingerprint) {
		session = Session{}
	}
	if session.ID.IsZero() && start {
		session = newSession(seen, req.Header, r.sessions.now())
		session.isNew = true
		session.temporary = seen.visitor.IsNewProgram() || fn.Speculative(req)
	}
	return seen.visitorWith(session, req), nil
}

// Admit stores the session of a new visitor or the changes of a known one. It returns a cookie if the browser must replace the
// one that it sent. The first call of a program gets a cookie for a session that is not stored; if the program sends that
// cookie with a later call, Admit starts a session.
func (r *Resolver) Admit(ctx context.Context, req *http.Request, v Visitor, site fn.Site) (Visitor, *http.Cookie, error) {
	session, renewed, err := r.admit(ctx, req, v)
	if err != nil {
		return v, nil, err
	}
	v = v.browser.visitorWith(session, req)
	if !renewed {
		return v, nil, nil
	}
	cookie, err := r.sessions.Cookie(session.ID, site)
	return v, cookie, err
}

// admit returns the stored session, and whether the browser needs a new cookie.
func (r *Resolver) admit(ctx context.Context, req *http.Request, v Visitor) (admitted Session, renewed bool, err error) {
	now := r.sessions.now()
	switch {
	case v.Session.temporary:
		return v.Session, true, nil
	case v.Session.isNew:
		admitted, err = r.start(ctx, v.Session, v.browser)
		return admitted, true, err
	case !v.browser.matches(v.Session.Fingerprint):
		admitted, err = r.rotate(ctx, req, v.Session, v.browser, now)
		return admitted, true, err
	}
	return r.extend(ctx, req, v, now)
}

func (r *Resolver) start(ctx context.Context, session Session, seen *browser) (Session, error) {
	session.isNew = true
	return session, r.sessions.Create(ctx, session, seen.visitor.Class)
}

// rotate ends a session whose browser fingerprint has changed and starts a new one. The new session inherits preferences,
// consents and the wishlist, but not the viewed hotels and searches.
func (r *Resolver) rotate(ctx context.Context, req *http.Request, old Session, seen *browser, now time.Time) (Session, error) {
	next, err := r.sessions.Rotate(ctx, old, newSession(seen, req.Header, now), seen.visitor.Class)
	if errors.Is(err, fault.ErrNotFound) || (err == nil && !seen.matches(next.Fingerprint)) {
		return r.start(ctx, newSession(seen, req.Header, now), seen)
	}
	return next, err
}

// extend extends the lifetime of a session that was not seen for a while. It records the first campaign and the language that
// the browser accepts now. It also stores the fingerprint under the newest pepper, so that removing an old pepper does not end
// sessions. If storing fails, the request continues; a later request stores the changes.
func (r *Resolver) extend(ctx context.Context, req *http.Request, v Visitor, now time.Time) (session Session, renewed bool, err error) {
	session, seen := v.Session, v.browser
	firstCampaign := session.Campaign == (attribution.Campaign{}) && seen.visitor.Campaign != (attribution.Campaign{})
	var stored Session
	switch {
	case firstCampaign, session.Fingerprint != seen.visitor.Fingerprint, session.accepted(req.Header, seen.visitor.Country) != session.Locale:
		stored, err = r.sessions.ChangePreferences(ctx, session, func(s *Session) []event.Draft {
			s.attribute(seen.visitor.Campaign, now)
			s.Fingerprint = seen.visitor.Fingerprint
			return s.renegotiate(req.Header, seen.visitor.Country, now)
		})
	case now.Sub(session.LastSeenAt) > touchInterval:
		stored, err = r.sessions.Change(ctx, session.ID, func(*Session) {})
	default:
		return session, session.ID != v.known, nil
	}
	switch {
	case errors.Is(err, fault.ErrNotFound), err == nil && stored.ID.IsZero(): // another request has ended the session meanwhile
		session, err = r.start(ctx, newSession(seen, req.Header, now), seen)
		return session, true, err
	case err == nil:
		session = stored
	}
	return session, true, nil
}
