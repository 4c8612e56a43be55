package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Sessions knows sessions by their cookies. Whether one lives, and what it chose, is decided by its mirror row; the hot
// document repeats that for speed, and keeps what the guest has looked at.
type Sessions struct {
	keys  keyring.Ring
	docs  document.Collection[Session]
	db    *postgres.DB
	voice *Publisher
	now   func() time.Time
}

// OpenSessions opens the store.
func OpenSessions(e env.Env) (*Sessions, error) {
	var c struct {
		Keys keyring.Ring `env:"CONSUMER_SESSION_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return &Sessions{
		keys:  c.Keys,
		docs:  document.Open[Session](e, "gms-session"),
		db:    postgres.Open(e, Schema),
		voice: OpenPublisher(e),
		now:   e.Now,
	}, nil
}

// Get returns the live session of that id, or ErrNotFound. One that was rotated is the one that it became.
func (s *Sessions) Get(ctx context.Context, known id.GuestSession) (Session, error) {
	kept, ok, err := s.docs.Get(ctx, document.KeyOf(known.String()))
	if err == nil && ok && kept.ID == known && !kept.over(s.now()) {
		return kept, nil
	}
	// The document is lost, or its store is away: the mirror knows enough to go on.
	m, err := s.mirrored(ctx, known)
	if err == nil && m.RotatedTo != nil {
		return s.heir(ctx, *m.RotatedTo)
	}
	if err != nil {
		return Session{}, err
	}
	if m.EndedAt != nil || m.session().over(s.now()) {
		return Session{}, ErrNotFound
	}
	restored := m.session()
	_, _ = s.docs.Put(ctx, document.KeyOf(known.String()), restored, restored.Version, restored.LastSeenAt.Add(sessionTTL))
	return restored, nil
}

// heir is what a rotated session became, if that still lives. It is asked for once: who was rotated twice begins again.
func (s *Sessions) heir(ctx context.Context, known id.GuestSession) (Session, error) {
	m, err := s.mirrored(ctx, known)
	if err != nil {
		return Session{}, err
	}
	if m.EndedAt != nil {
		return Session{}, ErrNotFound
	}
	return s.Get(ctx, known)
}

// races bounds how often a change begins again. Of those who race for a document one wins each round.
const races = 32

// Change makes a change to what the session's document remembers, and lets the session live on. Who loses a race makes the
// change again to what the winner has kept. A session that has ended meanwhile stays ended, and nothing is kept of it.
func (s *Sessions) Change(ctx context.Context, known id.GuestSession, change func(*Session)) (Session, error) {
	for range races {
		session, err := s.Get(ctx, known)
		if errors.Is(err, ErrNotFound) || (err == nil && session.ID != known) {
			return Session{}, nil
		}
		if err != nil {
			return Session{}, err
		}
		change(&session)
		kept, err := s.keep(ctx, &session)
		if err != nil {
			return Session{}, fmt.Errorf("sessions: change %s: %w", known, err)
		}
		if kept {
			return session, s.confirm(ctx, session)
		}
	}
	return Session{}, fmt.Errorf("sessions: change %s: %w", known, ErrVersionConflict)
}

// keep puts the session's next version, and reports whether nobody else has put one meanwhile.
func (s *Sessions) keep(ctx context.Context, session *Session) (bool, error) {
	session.Version++
	session.LastSeenAt = s.now()
	return s.docs.Put(ctx, document.KeyOf(session.ID.String()), *session, session.Version, session.LastSeenAt.Add(sessionTTL))
}

// confirm notes in the mirror that the session was seen, and takes the document back if the session was ended while it was
// put: whoever ends a session first deletes its row and then its document, so one of the two sees the other.
func (s *Sessions) confirm(ctx context.Context, session Session) error {
	lives, err := s.seen(ctx, session)
	if err != nil {
		return fmt.Errorf("sessions: confirm %s: %w", session.ID, err)
	}
	if lives {
		return nil
	}
	return s.forget(ctx, session.ID)
}

// forget deletes documents of sessions that have ended.
func (s *Sessions) forget(ctx context.Context, ended ...id.GuestSession) error {
	for _, one := range ended {
		if err := s.docs.Delete(ctx, document.KeyOf(one.String())); err != nil {
			return fmt.Errorf("sessions: forget %s: %w", one, err)
		}
	}
	return nil
}
