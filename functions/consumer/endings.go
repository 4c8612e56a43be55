package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Rotate ends one session and begins the next one of the same guest, which is returned. Of several who rotate one session at
// once all go on in the same. A session that was ended otherwise is ErrNotFound.
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
		return s.succeed(ctx, tx, before, &next, class)
	})
	if err != nil {
		return next, fmt.Errorf("sessions: rotate %s: %w", old.ID, err)
	}
	if !won {
		_ = s.forget(ctx, old.ID) // who was ended has no document, but for a moment
		return s.Get(ctx, old.ID)
	}
	_, _ = s.docs.Put(ctx, document.KeyOf(next.ID.String()), next, next.Version, next.LastSeenAt.Add(sessionTTL))
	_ = s.forget(ctx, old.ID) // else it goes when it is changed next, or with its time
	return next, nil
}

// succeed hands over to the next session what the guest chose, agreed to and wished for, and tells of both.
func (s *Sessions) succeed(ctx context.Context, tx postgres.Tx, old Session, next *Session, class attribution.Device) error {
	changes := next.inherit(old)
	queueMirror(tx, *next)
	tx.Queue(`
		UPDATE bff_consumer.wishlist SET guest_session_id = @next WHERE guest_session_id = @old`,
		pgx.StrictNamedArgs{"old": old.ID, "next": next.ID})
	told := append([]event.Draft{old.ended(Rotated, next.CreatedAt), next.started(class)}, changes...)
	return s.voice.Append(ctx, tx, *next, told...)
}

// inherit takes over what a guest agreed to and chose. A language or a currency that only the browser or its place had named
// is what they name now; that it is another is told.
func (s *Session) inherit(old Session) []event.Draft {
	language, by := s.Locale, s.LocaleBy
	currency, payBy := s.Currency, s.CurrencyBy
	s.Consent, s.Locale, s.LocaleBy, s.Currency, s.CurrencyBy = old.Consent, old.Locale, old.LocaleBy, old.Currency, old.CurrencyBy
	if old.Campaign != (attribution.Campaign{}) {
		s.Campaign, s.CampaignAt = old.Campaign, old.CampaignAt
	}
	var changes []event.Draft
	if old.LocaleBy != ByGuest {
		changes = append(changes, s.ReadIn(language, by, s.CreatedAt)...)
	}
	if old.CurrencyBy != ByGuest {
		changes = append(changes, s.PriceIn(currency, payBy, s.CreatedAt)...)
	}
	return changes
}

// Clear leaves no trace of a session and of those that it was rotated from: rows, answers that may be repeated, and at last
// the documents. What remains is what was told, and what doc.go lists as evidence.
func (s *Sessions) Clear(ctx context.Context, session Session) error {
	gone := []id.GuestSession{session.ID}
	now := s.now()
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `
			WITH RECURSIVE line AS (
				SELECT @session::uuid AS one
				UNION
				SELECT g.guest_session_id FROM bff_consumer.guest_sessions AS g JOIN line ON g.rotated_to = line.one
			)
			DELETE FROM bff_consumer.guest_sessions
			WHERE guest_session_id IN (SELECT one FROM line)
			RETURNING guest_session_id, ended_at IS NULL AS live, consent_telemetry`, pgx.StrictNamedArgs{"session": session.ID})
		deleted, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			ID        id.GuestSession
			Live      bool
			Telemetry bool
		}])
		if err != nil {
			return err
		}
		for _, d := range deleted {
			if d.ID != session.ID {
				gone = append(gone, d.ID)
			} else if d.Live {
				session.LastSeenAt, session.Consent.Telemetry = now, d.Telemetry
				err = errors.Join(err, s.voice.Append(ctx, tx, session, session.ended(Cleared, now)))
			}
		}
		for _, one := range gone {
			err = errors.Join(err, idempotency.Forget(ctx, tx, Schema, id.Tenant{}, one.String()))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("sessions: clear %s: %w", session.ID, err)
	}
	return s.forget(ctx, gone...)
}

// A Due session is over, and nobody has been told yet.
type Due struct {
	Session id.GuestSession `db:"guest_session_id"`
	Since   time.Time       `db:"last_seen_at"`
}

// Due lists sessions that nobody was seen in for so long that they are over, the oldest first, and only those that come after
// the given one.
func (s *Sessions) Due(ctx context.Context, after Due, most int) (due []Due, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT guest_session_id, last_seen_at
			FROM bff_consumer.guest_sessions
			WHERE ended_at IS NULL AND last_seen_at <= platform.now() - @ttl::interval AND (last_seen_at, guest_session_id) > (@since, @after)
			ORDER BY last_seen_at, guest_session_id
			LIMIT @most`, pgx.StrictNamedArgs{"ttl": sessionTTL, "since": after.Since, "after": after.Session, "most": most})
		due, err = pgx.CollectRows(rows, pgx.RowToStructByName[Due])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sessions: due: %w", err)
	}
	return due, nil
}

// Expire ends a session that is over, and tells of it. The document knows best when it was seen last: one that lives is only
// noted down.
func (s *Sessions) Expire(ctx context.Context, known id.GuestSession) error {
	kept, ok, err := s.docs.Get(ctx, document.KeyOf(known.String()))
	if err != nil {
		return fmt.Errorf("sessions: expire %s: %w", known, err)
	}
	now := s.now()
	if ok && kept.ID == known && !kept.over(now) {
		_, err := s.seen(ctx, kept)
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
		return nil // another run has ended it, or its guest has come back
	}
	if err != nil {
		return err
	}
	tx.Queue(`DELETE FROM bff_consumer.wishlist WHERE guest_session_id = @session`, pgx.StrictNamedArgs{"session": known})
	session := m.session()
	return s.voice.Append(ctx, tx, session, session.ended(Expired, now))
}
