package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A mirror is the SQL row of a session. No row of this service belongs to a tenant, so the table has no row-level security.
type mirror struct {
	ID          id.GuestSession   `db:"guest_session_id"`
	Version     int64             `db:"version"` // of the preferences
	CreatedAt   time.Time         `db:"created_at"`
	LastSeenAt  time.Time         `db:"last_seen_at"`
	Locale      locale.Tag        `db:"locale"`
	LocaleBy    Trigger           `db:"locale_by"`
	Currency    money.Currency    `db:"currency"`
	CurrencyBy  Trigger           `db:"currency_by"`
	Fingerprint pseudonym.Hash    `db:"fingerprint_hash"`
	IP          *pseudonym.Hash   `db:"ip_hash"`
	Campaign    *event.Attributed `db:"campaign"`
	CampaignAt  *time.Time        `db:"campaign_at"`
	Telemetry   bool              `db:"consent_telemetry"`
	Marketing   bool              `db:"consent_marketing"`
	EndedAt     *time.Time        `db:"ended_at"`
	RotatedTo   *id.GuestSession  `db:"rotated_to"`
}

// session returns the part of a session that its row contains. Its document version is 0, lower than that of any stored document.
func (m mirror) session() Session {
	s := Session{
		ID: m.ID, PreferencesVersion: m.Version, CreatedAt: m.CreatedAt, LastSeenAt: m.LastSeenAt, Locale: m.Locale, LocaleBy: m.LocaleBy,
		Currency: m.Currency, CurrencyBy: m.CurrencyBy, Fingerprint: m.Fingerprint, Consent: Consent{m.Telemetry, m.Marketing},
		RecentlyViewed: []RecentlyViewed{}, SearchHistory: []SearchHistory{},
	}
	if m.IP != nil {
		s.IP = *m.IP
	}
	if m.Campaign != nil && m.CampaignAt != nil {
		s.Campaign, s.CampaignAt = attribution.Campaign(*m.Campaign), *m.CampaignAt
	}
	return s
}

const mirrorColumns = `guest_session_id, version, created_at, last_seen_at, locale, locale_by, currency, currency_by, fingerprint_hash,
	ip_hash, campaign, campaign_at, consent_telemetry, consent_marketing, ended_at, rotated_to`

// getMirror returns the row of a session, or fault.ErrNotFound.
func (s *Sessions) getMirror(ctx context.Context, known id.GuestSession) (m mirror, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) (err error) {
		rows, _ := tx.Last().Query(ctx, `
			SELECT `+mirrorColumns+`
			FROM bff_consumer.guest_sessions
			WHERE guest_session_id = @session`, pgx.StrictNamedArgs{"session": known})
		m, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[mirror])
		return err
	})
	return m, asNotFound(err, "get", known)
}

// asNotFound wraps an error, and maps pgx.ErrNoRows to fault.ErrNotFound.
func asNotFound(err error, verb string, known id.GuestSession) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pgx.ErrNoRows):
		return fault.ErrNotFound
	}
	return fmt.Errorf("sessions: %s %s: %w", verb, known, err)
}

// Create stores a new session and appends its event. The document is written last, and an error of that write is ignored.
func (s *Sessions) Create(ctx context.Context, session Session, class attribution.Device) error {
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		queueMirror(tx, session)
		return s.publisher.Append(ctx, tx, session, session.started(class))
	})
	if err != nil {
		return fmt.Errorf("sessions: begin %s: %w", session.ID, err)
	}
	_, _ = s.docs.Put(ctx, document.KeyOf(session.ID.String()), session, session.Version, session.LastSeenAt.Add(sessionTTL))
	return nil
}

func queueMirror(tx postgres.Tx, s Session) {
	var campaignAt *time.Time
	if !s.CampaignAt.IsZero() {
		campaignAt = &s.CampaignAt
	}
	tx.Queue(`
		INSERT INTO bff_consumer.guest_sessions (guest_session_id, version, created_at, last_seen_at, locale, locale_by, currency,
			currency_by, fingerprint_hash, ip_hash, campaign, campaign_at, consent_telemetry, consent_marketing)
		VALUES (@session, @version, @created, @seen, @locale, @localeBy, @currency,
			@currencyBy, @fingerprint, nullif(@ip, ''), @campaign, @campaignAt, @telemetry, @marketing)`,
		pgx.StrictNamedArgs{"session": s.ID, "version": s.PreferencesVersion, "created": s.CreatedAt, "seen": s.LastSeenAt,
			"locale": s.Locale, "localeBy": s.LocaleBy, "currency": s.Currency, "currencyBy": s.CurrencyBy,
			"fingerprint": s.Fingerprint, "ip": s.IP, "campaign": s.Campaign.Attributed(), "campaignAt": campaignAt,
			"telemetry": s.Consent.Telemetry, "marketing": s.Consent.Marketing})
}

// ChangePreferences changes the preferences and consents of a session, first in SQL together with the events, then in the document. The
// previous values come from SQL, so a retry after a failure appends no event twice.
func (s *Sessions) ChangePreferences(ctx context.Context, session Session, choose func(*Session) []event.Draft) (Session, error) {
	known := session.ID
	var chosen Session
	err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT `+mirrorColumns+`
			FROM bff_consumer.guest_sessions
			WHERE guest_session_id = @session AND ended_at IS NULL
			FOR NO KEY UPDATE`, pgx.StrictNamedArgs{"session": known})
		m, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[mirror])
		if err != nil {
			return err
		}
		chosen = m.session()
		chosen.silent = session.silent
		events := choose(&chosen)
		chosen.PreferencesVersion++
		queuePreferences(tx, chosen)
		return s.publisher.Append(ctx, tx, chosen, events...)
	})
	if err != nil {
		return Session{}, asNotFound(err, "choose for", known)
	}
	return s.Change(ctx, known, func(kept *Session) { kept.copyPreferences(chosen) })
}

// copyPreferences copies preferences and consents, unless the session has a later version of them.
func (s *Session) copyPreferences(c Session) {
	if s.PreferencesVersion > c.PreferencesVersion {
		return
	}
	s.PreferencesVersion, s.Consent, s.Campaign, s.CampaignAt, s.Fingerprint = c.PreferencesVersion, c.Consent, c.Campaign, c.CampaignAt, c.Fingerprint
	s.Locale, s.LocaleBy, s.Currency, s.CurrencyBy = c.Locale, c.LocaleBy, c.Currency, c.CurrencyBy
}

func queuePreferences(tx postgres.Tx, s Session) {
	var campaignAt *time.Time
	if !s.CampaignAt.IsZero() {
		campaignAt = &s.CampaignAt
	}
	tx.Queue(`
		UPDATE bff_consumer.guest_sessions
		SET version = @version, locale = @locale, locale_by = @localeBy, currency = @currency, currency_by = @currencyBy,
			campaign = @campaign, campaign_at = @campaignAt, consent_telemetry = @telemetry, consent_marketing = @marketing,
			fingerprint_hash = @fingerprint
		WHERE guest_session_id = @session`,
		pgx.StrictNamedArgs{"session": s.ID, "version": s.PreferencesVersion, "locale": s.Locale, "localeBy": s.LocaleBy,
			"currency": s.Currency, "currencyBy": s.CurrencyBy, "campaign": s.Campaign.Attributed(), "campaignAt": campaignAt,
			"telemetry": s.Consent.Telemetry, "marketing": s.Consent.Marketing, "fingerprint": s.Fingerprint})
}

// touchInterval is the resolution of last_seen_at in SQL: most requests do not write the row.
const touchInterval = time.Hour

// A work runs in a transaction before its last statement. Nil does nothing.
type work func(context.Context, postgres.Tx) error

// touch updates last_seen_at if it is older than touchInterval, runs also in the same transaction, and returns the version of the
// session's preferences: 0 if the session has ended.
func (s *Sessions) touch(ctx context.Context, session Session, also work) (version int64, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		if also != nil {
			if err := also(ctx, tx); err != nil {
				return err
			}
		}
		return tx.Last().QueryRow(ctx, `
			WITH touched AS (
				UPDATE bff_consumer.guest_sessions SET last_seen_at = @seen
				WHERE guest_session_id = @session AND ended_at IS NULL AND last_seen_at <= @before
			)
			SELECT coalesce((SELECT version FROM bff_consumer.guest_sessions WHERE guest_session_id = @session AND ended_at IS NULL), 0)`,
			pgx.StrictNamedArgs{"session": session.ID, "seen": session.LastSeenAt, "before": session.LastSeenAt.Add(-touchInterval)}).
			Scan(&version)
	})
	return version, err
}

// refresh copies preferences and consents from the row to the document, after a change of the row whose document could not be
// written.
func (s *Sessions) refresh(ctx context.Context, known id.GuestSession) error {
	m, err := s.getMirror(ctx, known)
	if err != nil {
		return err
	}
	_, err = s.Change(ctx, known, func(kept *Session) { kept.copyPreferences(m.session()) })
	return err
}
