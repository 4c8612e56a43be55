package tenantbooking

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Sessions knows sessions by their cookies and keeps them as hot documents.
type Sessions struct {
	keys keyring.Ring
	docs document.Collection[Session]
	now  func() time.Time
}

// OpenSessions opens the store.
func OpenSessions(e env.Env) (*Sessions, error) {
	var c struct {
		Keys keyring.Ring `env:"TENANT_SESSION_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return &Sessions{keys: c.Keys, docs: document.Open[Session](e, "tnt-session"), now: e.Now}, nil
}

// Get is the session of that id as it was kept, else the one that birth would begin. It never fails: a lost session costs
// a guest their preferences and not the booking, which is in SQL under the session's id.
func (s *Sessions) Get(ctx context.Context, t Tenant, session id.TenantSession, birth Session) Session {
	kept, ok, err := s.docs.GetPrefetched(ctx, s.key(session))
	if err == nil && ok && kept.of(t.ID, session) {
		return kept
	}
	now := s.now()
	birth.ID, birth.CreatedAt, birth.LastSeenAt = session, now, now
	return birth
}

func (s *Sessions) find(ctx context.Context, t id.Tenant, session id.TenantSession) (Session, bool, error) {
	kept, ok, err := s.docs.Get(ctx, s.key(session))
	if err != nil || !ok || !kept.of(t, session) {
		return Session{}, false, err
	}
	return kept, true, nil
}

// key is where a session is kept.
func (s *Sessions) key(session id.TenantSession) document.Key {
	return document.KeyOf(session.String())
}

// of reports whether a document is that session's of that hotel.
func (s Session) of(t id.Tenant, session id.TenantSession) bool {
	return s.Tenant == t && s.ID == session
}

// rivals is how often in a row a session may be kept by others while it is being kept here.
const rivals = 5

// Keep writes a session, which was so when the visit began, and lets it live on. Where another visit of it has been kept
// meanwhile, what has changed here is carried over to there.
func (s *Sessions) Keep(ctx context.Context, session, was Session) error {
	next := session
	for range rivals {
		next.LastSeenAt = s.now()
		kept, err := s.put(ctx, next)
		if err != nil || kept {
			return err
		}
		newer, ok, err := s.find(ctx, session.Tenant, session.ID)
		if err != nil {
			return err
		}
		if ok {
			next = session.onto(newer, was)
		} else if err := s.docs.Delete(ctx, s.key(session.ID)); err != nil { // nobody can read what is there
			return err
		}
	}
	return fault.ErrUnavailable.Because(errors.New("sessions: keep " + session.ID.String() + ": others were always first"))
}

// Revoke ends a session, and forgets what ties it to a person. Visits that are under way do not bring it back: what they keep
// of it, they carry over. A session that is not kept is kept as revoked, for as long as one of its cookies can be valid. What
// is older than what was told before changes nothing. A session that goes on under another id is revoked there too.
func (s *Sessions) Revoke(ctx context.Context, t id.Tenant, session id.TenantSession, since time.Time) error {
	for range rivals {
		kept, ok, err := s.docs.Get(ctx, s.key(session))
		if !ok {
			kept = Session{ID: session, Tenant: t}
		}
		if err != nil || !kept.of(t, session) || !since.After(kept.RevokedAt) {
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
	return fault.ErrUnavailable.Because(errors.New("sessions: revoke " + session.String() + ": others were always first"))
}

// Renamed is the id by which a session goes on after the act that names its guest. Whoever planted the session's cookie in the
// guest's browser knows the id before, which by then is the one of an empty session.
func Renamed(act id.Request) id.TenantSession { return id.Derive[id.TenantSession](act, "session") }

// Rename keeps the session under the id by which it goes on, also as revoked if it is. Under the id before, it keeps which that is, since
// a revocation may still come under that one. Where another visit of it has been kept meanwhile, it begins with that.
func (s *Sessions) Rename(ctx context.Context, session Session, to id.TenantSession) error {
	before := session
	for range rivals {
		if before.renamedTo(to) {
			return nil
		}
		before.LastSeenAt = s.now()
		after := before
		after.ID, after.Version, after.Successor = to, 0, nil
		before.Draft, before.Successor = nil, &to
		kept, err := s.put(ctx, before)
		if err == nil && kept {
			_, err = s.put(ctx, after) // false: it has just been revoked
		}
		if err != nil || kept {
			return err
		}
		newer, ok, err := s.find(ctx, session.Tenant, session.ID)
		if err != nil || !ok { // what nobody can read is not carried over
			return err
		}
		before = newer
	}
	return fault.ErrUnavailable.Because(errors.New("sessions: rename " + session.ID.String() + ": others were always first"))
}

func (s Session) renamedTo(to id.TenantSession) bool { return s.Successor != nil && *s.Successor == to }

// put writes the next version, unless there is one already.
func (s *Sessions) put(ctx context.Context, session Session) (bool, error) {
	session.Version++
	return s.docs.Put(ctx, s.key(session.ID), session, session.Version, session.LastSeenAt.Add(sessionTTL))
}

// sign returns the cookie's value: the session, the time of issue, and a tag with its key's id, which covers the hotel too. An
// id seen in telemetry opens nothing.
func (s *Sessions) sign(session id.TenantSession, t id.Tenant) (string, error) {
	issued := strconv.FormatInt(s.now().Unix(), dateBase)
	tag, err := s.keys.Tag(plainCookie, t.String(), session.String(), issued)
	return session.String() + "." + issued + "." + tag, err
}

// dateBase is the base of the number that tells a cookie's time of issue, in seconds.
const dateBase = 36

func (s *Sessions) verify(value string, t id.Tenant) (pass Pass, ok bool) {
	name, rest, _ := strings.Cut(value, ".")
	issued, tag, _ := strings.Cut(rest, ".")
	session, err := id.Parse[id.TenantSession](name)
	seconds, undated := strconv.ParseInt(issued, dateBase, 64)
	if err != nil || undated != nil || !s.keys.Tagged(tag, plainCookie, t.String(), name, issued) {
		return Pass{}, false
	}
	pass = Pass{Session: session, IssuedAt: time.Unix(seconds, 0)}
	return pass, s.now().Before(pass.IssuedAt.Add(sessionTTL))
}
