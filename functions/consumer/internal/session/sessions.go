package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Sessions stores sessions. The mirror row is authoritative for lifetime, preferences and consents. The hot document repeats
// them for speed and adds viewed hotels and searches.
type Sessions struct {
	keys      keyring.Ring
	docs      document.Collection[Session]
	searches  SearchSessions
	db        *postgres.DB
	publisher *Publisher
	now       func() time.Time
}

// sessionDocuments is the collection of the documents of sessions.
const sessionDocuments = "gms-session"

// OpenSessions opens the store.
func OpenSessions(e env.Env) (*Sessions, error) {
	var c struct {
		Keys keyring.Ring `env:"CONSUMER_SESSION_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return &Sessions{
		keys:      c.Keys,
		docs:      document.Open[Session](e, sessionDocuments),
		searches:  OpenSearchSessions(e),
		db:        postgres.Open(e, Schema),
		publisher: OpenPublisher(e),
		now:       e.Now,
	}, nil
}

// Get returns the active session with that id, or fault.ErrNotFound. For a rotated session it returns the successor.
func (s *Sessions) Get(ctx context.Context, known id.GuestSession) (Session, error) {
	kept, ok, err := s.docs.Get(ctx, document.KeyOf(known.String()))
	if err == nil && ok && kept.ID == known && !kept.isExpired(s.now()) {
		return kept, nil
	}
	// The document is lost or its store is unavailable: restore the session from the mirror.
	m, err := s.getMirror(ctx, known)
	if err == nil && m.RotatedTo != nil {
		return s.successor(ctx, *m.RotatedTo)
	}
	if err != nil {
		return Session{}, err
	}
	if m.EndedAt != nil || m.session().isExpired(s.now()) {
		return Session{}, fault.ErrNotFound
	}
	restored := m.session()
	_, _ = s.docs.Put(ctx, document.KeyOf(known.String()), restored, restored.Version, restored.LastSeenAt.Add(sessionTTL))
	return restored, nil
}

// successor returns the successor of a rotated session if it is active. It follows one rotation only; if the successor was
// rotated too, it returns fault.ErrNotFound.
func (s *Sessions) successor(ctx context.Context, known id.GuestSession) (Session, error) {
	m, err := s.getMirror(ctx, known)
	if err != nil {
		return Session{}, err
	}
	if m.EndedAt != nil {
		return Session{}, fault.ErrNotFound
	}
	return s.Get(ctx, known)
}

// maxAttempts is the maximum number of attempts to change a document. Of concurrent writers, one succeeds in each round.
const maxAttempts = 32

// Change changes the session's document with optimistic concurrency control, and extends the session's lifetime. On a version
// conflict it applies the change again to the stored document. If the session has ended meanwhile, it returns a zero session
// or deletes the document that it stored.
func (s *Sessions) Change(ctx context.Context, known id.GuestSession, change func(*Session)) (Session, error) {
	return s.changeWith(ctx, known, change, nil)
}

// changeWith is Change, and runs also in the transaction that confirms the change, without a further round trip. It does not run
// also if the session has ended or the document could not be changed.
func (s *Sessions) changeWith(ctx context.Context, known id.GuestSession, change func(*Session), also work) (Session, error) {
	for range maxAttempts {
		session, err := s.Get(ctx, known)
		if errors.Is(err, fault.ErrNotFound) || (err == nil && session.ID != known) {
			return Session{}, nil
		}
		if err != nil {
			return Session{}, err
		}
		change(&session)
		kept, err := s.store(ctx, &session)
		if err != nil {
			return Session{}, fmt.Errorf("sessions: change %s: %w", known, err)
		}
		if kept {
			_, err := s.confirm(ctx, session, also)
			return session, err
		}
	}
	return Session{}, fmt.Errorf("sessions: change %s: %w", known, fault.ErrVersionConflict)
}

// store stores the session's next version, and reports false if another writer has stored that version.
func (s *Sessions) store(ctx context.Context, session *Session) (bool, error) {
	session.Version++
	session.LastSeenAt = s.now()
	return s.docs.Put(ctx, document.KeyOf(session.ID.String()), *session, session.Version, session.LastSeenAt.Add(sessionTTL))
}

// confirm updates last_seen_at in the mirror, runs also in the same transaction, and deletes the documents if the session has
// ended meanwhile, which it reports. Ending a session deletes the row before the documents, so either the writer or the ending
// request deletes them. If the row has newer preferences than the session, confirm refreshes the document.
func (s *Sessions) confirm(ctx context.Context, session Session, also work) (lives bool, err error) {
	version, err := s.touch(ctx, session, also)
	if err != nil {
		return false, fmt.Errorf("sessions: confirm %s: %w", session.ID, err)
	}
	if version == 0 {
		return false, s.forget(ctx, session.ID)
	}
	if version > session.PreferencesVersion {
		_ = s.refresh(ctx, session.ID) // on an error the next change refreshes it; meanwhile the row decides about consent
	}
	return true, nil
}

// forget deletes the documents of ended sessions, and those of their search sessions.
func (s *Sessions) forget(ctx context.Context, ended ...id.GuestSession) error {
	for _, one := range ended {
		if _, err := deleteDocuments(ctx, s.docs, s.searches, one, s.now()); err != nil {
			return fmt.Errorf("sessions: forget %s: %w", one, err)
		}
	}
	return nil
}

// deleteDocuments deletes the document of a session and the documents of its search sessions, and returns their number. The
// document of the session names the others, so it is deleted last.
func deleteDocuments(ctx context.Context, docs document.Collection[Session], searches SearchSessions, one id.GuestSession, now time.Time) (n int, err error) {
	kept, ok, err := docs.Get(ctx, document.KeyOf(one.String()))
	if err != nil {
		return 0, err
	}
	for _, h := range kept.SearchHistory {
		if h.isActive(now) {
			if err := searches.delete(ctx, h.Search); err != nil {
				return n, err
			}
			n++
		}
	}
	if err := docs.Delete(ctx, document.KeyOf(one.String())); err != nil {
		return n, err
	}
	if ok {
		n++
	}
	return n, nil
}
