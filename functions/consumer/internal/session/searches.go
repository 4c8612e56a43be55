package session

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A SearchSession represents a visitor's work with one query. It is a hot document that expires an
// hour after its start and does not change afterwards; the next search starts another one. It contains no typed text: the place
// has the search service's name, and the filters are words of closed lists.
type SearchSession struct {
	ID                id.SearchSession `json:"searchSessionId"`
	Guest             id.GuestSession  `json:"guestSessionId"`
	QueryHash         string           `json:"queryHash"`
	Geo               search.GeoQuery  `json:"geo"`
	Dates             search.DateRange `json:"dates"`
	Occupancy         search.Occupancy `json:"occupancy"`
	Filters           *search.Filters  `json:"filters,omitzero"`
	Sort              search.SortKey   `json:"sortKey"`
	Locale            locale.Tag       `json:"locale"`
	Currency          money.Currency   `json:"currency"`
	StartedAt         time.Time        `json:"startedAt"`
	LastInteractionAt time.Time        `json:"lastInteractionAt"` // to the minute
	ResultCount       int              `json:"resultCount"`
	ExpiresAt         time.Time        `json:"ttlExpiresAt"` // StartedAt + 1 h
}

// searchLife is the lifetime of a search session: the same query within it continues the search session.
const searchLife = time.Hour

// interactionInterval is the resolution of LastInteractionAt: most calls do not write the document.
const interactionInterval = time.Minute

// SearchSessions stores the documents of search sessions. The search history of a session names its documents.
type SearchSessions struct {
	docs document.Collection[SearchSession]
	db   *postgres.DB
}

// OpenSearchSessions opens the store.
func OpenSearchSessions(e env.Env) SearchSessions {
	return SearchSessions{docs: document.Open[SearchSession](e, "srs-search"), db: postgres.Open(e, Schema)}
}

// Interact returns the named search session if it is the visitor's and has not expired, else nil, also if its document cannot be
// read. It moves LastInteractionAt at most once a minute.
func (s SearchSessions) Interact(ctx context.Context, v Visitor, named *id.SearchSession, now time.Time) *id.SearchSession {
	if named == nil {
		return nil
	}
	kept, ok, err := s.docs.Get(ctx, document.KeyOf(named.String()))
	if err != nil || !ok || kept.Guest != v.Session.ID || !now.Before(kept.ExpiresAt) {
		return nil
	}
	if now.Sub(kept.LastInteractionAt) >= interactionInterval {
		kept.LastInteractionAt = now
		s.put(ctx, kept)
		if lives, err := s.lives(ctx, kept.Guest); err == nil && !lives {
			_ = s.delete(ctx, kept.ID) // the session has ended meanwhile
		}
	}
	return named
}

// executed stores the search session of a search, and reports whether it did. If the search continues it, the document is written
// only if the search differs from the last one or LastInteractionAt is a minute old.
func (s SearchSessions) executed(ctx context.Context, v Visitor, e search.Execution, h SearchHistory, now time.Time) (stored bool) {
	next := SearchSession{
		ID: h.Search, Guest: v.Session.ID, QueryHash: h.QueryHash, Geo: h.Geo, Dates: h.Dates, Occupancy: h.Occupancy,
		Filters: e.Filters(), Sort: e.Query.Sort, Locale: v.Locale, Currency: v.Currency,
		StartedAt: h.ExecutedAt, LastInteractionAt: now, ResultCount: e.Count, ExpiresAt: h.ExecutedAt.Add(searchLife),
	}
	kept, ok, err := s.last(ctx, h, now)
	if err != nil || ok && kept.sameAs(next) && now.Sub(kept.LastInteractionAt) < interactionInterval {
		return false
	}
	s.put(ctx, next)
	return true
}

// last returns the document of a search session that began before now, if there is one.
func (s SearchSessions) last(ctx context.Context, h SearchHistory, now time.Time) (kept SearchSession, ok bool, err error) {
	if !h.ExecutedAt.Before(now) {
		return kept, false, nil // it begins with this search
	}
	return s.docs.Get(ctx, document.KeyOf(h.Search.String()))
}

// sameAs reports whether two searches of one search session agree in what may differ between them.
func (s SearchSession) sameAs(other SearchSession) bool {
	return s.Sort == other.Sort && s.Locale == other.Locale && s.Currency == other.Currency && s.ResultCount == other.ResultCount
}

// put stores a document. Of concurrent writes the latest wins. An error is ignored: without the document, telemetry of the
// search session is recorded without its id.
func (s SearchSessions) put(ctx context.Context, kept SearchSession) {
	_, _ = s.docs.Put(ctx, document.KeyOf(kept.ID.String()), kept, kept.LastInteractionAt.UnixMicro(), kept.ExpiresAt)
}

func (s SearchSessions) delete(ctx context.Context, one id.SearchSession) error {
	return s.docs.Delete(ctx, document.KeyOf(one.String()))
}

// lives reports whether a session is active.
func (s SearchSessions) lives(ctx context.Context, guest id.GuestSession) (lives bool, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM bff_consumer.guest_sessions WHERE guest_session_id = @session AND ended_at IS NULL)`,
			pgx.StrictNamedArgs{"session": guest}).Scan(&lives)
	})
	return lives, err
}
