package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Sessions identifies sessions by their cookies and stores them as hot documents.
type Sessions struct {
	store
	keys keyring.Ring
}

// A store reads and writes the documents of sessions.
type store struct {
	docs document.Collection[Session]
	now  func() time.Time
}

func openStore(e env.Env) store {
	return store{docs: document.Open[Session](e, "tnt-session"), now: e.Now}
}

// OpenSessions returns the session store.
func OpenSessions(e env.Env) (*Sessions, error) {
	var c struct {
		Keys keyring.Ring `env:"TENANT_SESSION_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return &Sessions{store: openStore(e), keys: c.Keys}, nil
}

// Get returns the stored session, otherwise the fallback with its id. It never fails: a lost session costs the guest
// their preferences, but not the booking, which is in PostgreSQL under the session's id. Whether the guest has consented to
// telemetry is lost too, so the session is silent until the guest is asked again.
func (s *Sessions) Get(ctx context.Context, t hotel.Tenant, session id.TenantSession, fallback Session) Session {
	kept, ok, err := s.docs.GetPrefetched(ctx, s.key(session))
	if err == nil && ok && kept.belongsTo(t.ID, session) {
		return kept
	}
	now := s.now()
	fallback.ID, fallback.CreatedAt, fallback.LastSeenAt, fallback.Consent.Telemetry = session, now, now, false
	return fallback
}

func (s store) find(ctx context.Context, t id.Tenant, session id.TenantSession) (Session, bool, error) {
	kept, ok, err := s.docs.Get(ctx, s.key(session))
	if err != nil || !ok || !kept.belongsTo(t, session) {
		return Session{}, false, err
	}
	return kept, true, nil
}

// key returns the key of the session's document.
func (s store) key(session id.TenantSession) document.Key {
	return document.KeyOf(session.String())
}

// DocumentName returns the name of the session's document.
func (s *Sessions) DocumentName(session id.TenantSession) document.Name {
	return s.docs.Name(s.key(session))
}

// belongsTo reports whether a document belongs to that session of that tenant.
func (s Session) belongsTo(t id.Tenant, session id.TenantSession) bool {
	return s.Tenant == t && s.ID == session
}

// maxAttempts is the maximum number of attempts to write a session that is changed concurrently.
const maxAttempts = 5

// Save stores a session and extends its life; was is the session as the request found it. If the session was changed
// since, Save applies this request's changes to the newer version.
func (s *Sessions) Save(ctx context.Context, session, was Session) error {
	_, err := s.merge(ctx, session, was)
	return err
}

// merge saves like Save and returns the stored session.
func (s *Sessions) merge(ctx context.Context, session, was Session) (Session, error) {
	next := session
	for range maxAttempts {
		next.LastSeenAt = s.now()
		kept, err := s.put(ctx, next)
		if err != nil || kept {
			return next, err
		}
		newer, ok, err := s.find(ctx, session.Tenant, session.ID)
		if err != nil {
			return next, err
		}
		if ok {
			next = session.mergeInto(newer, was)
		} else if err := s.docs.Delete(ctx, s.key(session.ID)); err != nil { // an invalid document under this key
			return next, err
		}
	}
	return next, fault.ErrUnavailable.Because(errors.New("sessions: save " + session.ID.String() + ": too many concurrent changes"))
}

// renewAfter is the age after which Renew writes a session's document again, to postpone its expiry.
const renewAfter = time.Hour

// Renew postpones the expiry of a stored session that was not written for an hour, and returns the stored session. A failed
// write is ignored, because the next call tries again.
func (s *Sessions) Renew(ctx context.Context, session Session) Session {
	now := s.now()
	if session.Version == 0 || now.Sub(session.LastSeenAt) <= renewAfter {
		return session
	}
	next := session
	next.LastSeenAt = now
	if kept, err := s.put(ctx, next); err != nil || !kept {
		return session
	}
	next.Version++
	return next
}

// Revoke ends a session and deletes its personal data. Requests in progress do not undo this: they apply their changes
// to the revoked session. A session that is not stored is stored as revoked, for as long as one of its cookies can be
// valid. A revocation older than the stored one changes nothing. A session that continues under another id is revoked
// there too.
func (s *Sessions) Revoke(ctx context.Context, t id.Tenant, session id.TenantSession, since time.Time) error {
	for range maxAttempts {
		kept, ok, err := s.docs.Get(ctx, s.key(session))
		if !ok {
			kept = Session{ID: session, Tenant: t}
		}
		if err != nil || !kept.belongsTo(t, session) || !since.After(kept.RevokedAt) {
			return err
		}
		if kept.Successor != nil {
			if err := s.Revoke(ctx, t, *kept.Successor, since); err != nil {
				return err
			}
		}
		kept.LastSeenAt = s.now()
		if done, err := s.put(ctx, kept.anonymous(since)); err != nil || done {
			return err
		}
	}
	return fault.ErrUnavailable.Because(errors.New("sessions: revoke " + session.String() + ": too many concurrent changes"))
}

// Renamed returns the id under which a session continues after the act that sets its guest's details. An attacker who
// planted the session's cookie in the guest's browser knows only the old id, which by then belongs to an empty session.
func Renamed(act id.Request) id.TenantSession { return id.Derive[id.TenantSession](act, "session") }

// Rename stores the session under its new id, also if it is revoked. The document of the old id keeps the new one as
// Successor, because a revocation may still name the old id. If the session was changed concurrently, Rename starts
// again from the newer version.
func (s *Sessions) Rename(ctx context.Context, session Session, to id.TenantSession) error {
	before := session
	for range maxAttempts {
		if before.renamedTo(to) {
			return nil
		}
		before.LastSeenAt = s.now()
		after := before
		after.ID, after.Version, after.Successor = to, 0, nil
		before.Draft, before.Successor = nil, &to
		kept, err := s.put(ctx, before)
		if err == nil && kept {
			_, err = s.put(ctx, after) // not stored if the successor was just revoked
		}
		if err != nil || kept {
			return err
		}
		newer, ok, err := s.find(ctx, session.Tenant, session.ID)
		if err != nil || !ok { // the stored document is missing or invalid
			return err
		}
		before = newer
	}
	return fault.ErrUnavailable.Because(errors.New("sessions: rename " + session.ID.String() + ": too many concurrent changes"))
}

func (s Session) renamedTo(to id.TenantSession) bool { return s.Successor != nil && *s.Successor == to }

// put stores the next version of the session. It returns false if that version exists already.
func (s store) put(ctx context.Context, session Session) (bool, error) {
	session.Version++
	return s.docs.Put(ctx, s.key(session.ID), session, session.Version, session.LastSeenAt.Add(sessionTTL))
}

// sign returns the cookie's value: the session, the time of issue, and a tag that also covers the tenant. A session id
// from telemetry is therefore not enough to open a session.
func (s *Sessions) sign(session id.TenantSession, t id.Tenant) (string, error) {
	issued := strconv.FormatInt(s.now().Unix(), dateBase)
	tag, err := s.keys.Tag(plainCookie, t.String(), session.String(), issued)
	return session.String() + "." + issued + "." + tag, err
}

// dateBase is the base in which a cookie's time of issue is written, in seconds.
const dateBase = 36

func (s *Sessions) verify(value string, t id.Tenant) (pass CookieValue, ok bool) {
	name, rest, _ := strings.Cut(value, ".")
	issued, tag, _ := strings.Cut(rest, ".")
	session, err := id.Parse[id.TenantSession](name)
	seconds, undated := strconv.ParseInt(issued, dateBase, 64)
	if err != nil || undated != nil || !s.keys.Tagged(tag, plainCookie, t.String(), name, issued) {
		return CookieValue{}, false
	}
	pass = CookieValue{Session: session, IssuedAt: time.Unix(seconds, 0)}
	return pass, s.now().Before(pass.IssuedAt.Add(sessionTTL))
}
