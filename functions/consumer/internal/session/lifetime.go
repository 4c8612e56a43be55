package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Rotate ends a session and returns its successor. Concurrent rotations of one session all return the same successor. A
// session that ended for another reason is fault.ErrNotFound.
func (s *Sessions) Rotate(ctx context.Context, old, next Session, class attribution.Device) (Session, error) {
	won := false
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `
			UPDATE bff_consumer.guest_sessions
			SET ended_at = @now, end_reason = 'rotated', rotated_to = @next
			WHERE guest_session_id = @old AND ended_at IS NULL
			RETURNING `+mirrorColumns, pgx.StrictNamedArgs{"old": old.ID, "next": next.ID, "now": next.CreatedAt})
		m, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[mirror])
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		won = true
		before := m.session()
		before.LastSeenAt = old.LastSeenAt
		return s.queueSuccessor(ctx, tx, before, &next, class)
	})
	if err != nil {
		return next, fmt.Errorf("sessions: rotate %s: %w", old.ID, err)
	}
	if !won {
		_ = s.forget(ctx, old.ID) // an ended session has no document
		return s.Get(ctx, old.ID)
	}
	_, _ = s.docs.Put(ctx, document.KeyOf(next.ID.String()), next, next.Version, next.LastSeenAt.Add(sessionTTL))
	_ = s.forget(ctx, old.ID) // on an error the next change deletes the document, or it expires
	return next, nil
}

// queueSuccessor passes preferences, consents and the wishlist to the next session, and appends the events of both sessions.
func (s *Sessions) queueSuccessor(ctx context.Context, tx postgres.Tx, old Session, next *Session, class attribution.Device) error {
	next.inherit(old)
	queueMirror(tx, *next)
	tx.Queue(`
		UPDATE bff_consumer.wishlist SET guest_session_id = @next WHERE guest_session_id = @old`,
		pgx.StrictNamedArgs{"old": old.ID, "next": next.ID})
	return s.publisher.Append(ctx, tx, *next, old.ended(Rotated, next.CreatedAt), next.started(class))
}

// inherit copies consents, the campaign, and the locale and currency that the guest chose. A locale or currency that was
// derived from the browser or its country stays that of the new browser. A browser that forbids telemetry withdraws the consent.
func (s *Session) inherit(old Session) {
	s.Consent = Consent{Telemetry: old.Consent.Telemetry && s.Consent.Telemetry, Marketing: old.Consent.Marketing}
	if old.LocaleBy == ByGuest {
		s.Locale, s.LocaleBy = old.Locale, old.LocaleBy
	}
	if old.CurrencyBy == ByGuest {
		s.Currency, s.CurrencyBy = old.Currency, old.CurrencyBy
	}
	if old.Campaign != (attribution.Campaign{}) {
		s.Campaign, s.CampaignAt = old.Campaign, old.CampaignAt
	}
}

// Clear deletes a session and all sessions that it was rotated from: rows, stored idempotent answers, and finally the
// documents. In the same transaction it requests the erasure of what remains of each of them, whatever its consent; see
// [Erasures].
func (s *Sessions) Clear(ctx context.Context, session Session) error {
	now := s.now()
	gone := []id.GuestSession{session.ID}
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		deleted, err := deleteLine(ctx, tx, session.ID)
		if err != nil {
			return err
		}
		for _, d := range deleted {
			queueErasure(tx, d.ID, now)
			if d.ID != session.ID {
				gone = append(gone, d.ID)
			} else if d.Live {
				session.LastSeenAt, session.Consent.Telemetry = now, d.Telemetry
				err = errors.Join(err, s.publisher.Append(ctx, tx, session, session.ended(Cleared, now)))
			}
		}
		for _, one := range gone {
			_, forgotten := idempotency.Forget(ctx, tx, Schema, id.Tenant{}, one.String())
			err = errors.Join(err, forgotten)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("sessions: clear %s: %w", session.ID, err)
	}
	return s.forget(ctx, gone...)
}

// A deletedSession is a deleted row of a session.
type deletedSession struct {
	ID        id.GuestSession
	Live      bool
	Telemetry bool
}

// deleteLine deletes the rows of a session and of all sessions that it was rotated from.
func deleteLine(ctx context.Context, tx postgres.Tx, session id.GuestSession) ([]deletedSession, error) {
	rows, _ := tx.Query(ctx, `
		WITH RECURSIVE line AS (
			SELECT @session::uuid AS one
			UNION
			SELECT g.guest_session_id FROM bff_consumer.guest_sessions AS g JOIN line ON g.rotated_to = line.one
		)
		DELETE FROM bff_consumer.guest_sessions
		WHERE guest_session_id IN (SELECT one FROM line)
		RETURNING guest_session_id, ended_at IS NULL AS live, consent_telemetry`, pgx.StrictNamedArgs{"session": session})
	return pgx.CollectRows(rows, pgx.RowToStructByPos[deletedSession])
}

// A Due session has expired, but its end is not recorded yet.
type Due struct {
	Session id.GuestSession `db:"guest_session_id"`
	Since   time.Time       `db:"last_seen_at"`
}

// Due returns up to limit expired sessions that sort after the given one, the least recently seen first.
func (s *Sessions) Due(ctx context.Context, after Due, limit int) (due []Due, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT guest_session_id, last_seen_at
			FROM bff_consumer.guest_sessions
			WHERE ended_at IS NULL AND last_seen_at <= platform.now() - @ttl::interval AND (last_seen_at, guest_session_id) > (@since, @after)
			ORDER BY last_seen_at, guest_session_id
			LIMIT @most`, pgx.StrictNamedArgs{"ttl": sessionTTL, "since": after.Since, "after": after.Session, "most": limit})
		due, err = pgx.CollectRows(rows, pgx.RowToStructByName[Due])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sessions: due: %w", err)
	}
	return due, nil
}

// Expire ends an expired session and appends its event. The document has the most recent LastSeenAt: if the session is still
// active according to it, Expire only updates the row.
func (s *Sessions) Expire(ctx context.Context, known id.GuestSession) error {
	kept, ok, err := s.docs.Get(ctx, document.KeyOf(known.String()))
	if err != nil {
		return fmt.Errorf("sessions: expire %s: %w", known, err)
	}
	now := s.now()
	if ok && kept.ID == known && !kept.isExpired(now) {
		_, err := s.touch(ctx, kept, nil)
		return err
	}
	err = s.db.InTx(ctx, func(tx postgres.Tx) error { return s.expire(ctx, tx, known, now) })
	if err != nil {
		return fmt.Errorf("sessions: expire %s: %w", known, err)
	}
	return s.forget(ctx, known)
}

func (s *Sessions) expire(ctx context.Context, tx postgres.Tx, known id.GuestSession, now time.Time) error {
	rows, _ := tx.Query(ctx, `
		UPDATE bff_consumer.guest_sessions
		SET ended_at = @now, end_reason = 'ttl-expired'
		WHERE guest_session_id = @session AND ended_at IS NULL AND last_seen_at <= @limit
		RETURNING `+mirrorColumns, pgx.StrictNamedArgs{"session": known, "now": now, "limit": now.Add(-sessionTTL)})
	m, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[mirror])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // another run has ended it, or the guest has returned
	}
	if err != nil {
		return err
	}
	tx.Queue(`DELETE FROM bff_consumer.wishlist WHERE guest_session_id = @session`, pgx.StrictNamedArgs{"session": known})
	session := m.session()
	return s.publisher.Append(ctx, tx, session, session.ended(Expired, now))
}
