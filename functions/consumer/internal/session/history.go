package session

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A History records searches and viewed hotels in the visitor's session, and publishes them as events. These contain no typed text:
// places have the search service's names, and filters are words of a closed list.
type History struct {
	sessions  *Sessions
	publisher *Publisher
	peppers   pseudonym.Peppers
}

// OpenHistory opens the sessions and the publisher.
func OpenHistory(e env.Env) (*History, error) {
	sessions, err := OpenSessions(e)
	if err != nil {
		return nil, err
	}
	peppers, err := secrets.Peppers(e)
	return &History{sessions: sessions, publisher: OpenPublisher(e), peppers: peppers}, err
}

// Order returns the result that the visitor pages through, or zero if they have not made that query in the last hour.
func (h *History) Order(v Visitor, q search.Query, now time.Time) search.Order {
	q = q.Normal()
	entry, _ := v.Session.activeSearch(h.hash(q), now)
	return entry.order(q.Sort)
}

// hash returns a peppered hash of the query: a plain hash of typed text could be reversed by guessing.
func (h *History) hash(q search.Query) string {
	return string(h.peppers.Hash(pseudonym.Fingerprint(q.Identity())))
}

// Searched records and publishes a search and returns its search session: the one of the same query less than an hour ago, or
// a new one. Errors do not fail the request. The event is written in the transaction that confirms the change of the session.
func (h *History) Searched(ctx context.Context, v Visitor, e search.Execution, now time.Time) id.SearchSession {
	hash := h.hash(e.Query)
	entry, going := v.Session.activeSearch(hash, now)
	if !going {
		entry = SearchHistory{
			Search:     id.New[id.SearchSession](),
			QueryHash:  hash,
			Geo:        e.Geo(),
			Dates:      e.Query.Dates,
			Occupancy:  e.Query.Occupancy,
			ExecutedAt: now,
		}
		if e.Order != (search.Order{}) {
			entry.Orders = []search.Order{e.Order}
		}
	}
	if v.Session.temporary {
		return entry.Search
	}
	stored := h.sessions.searches.executed(ctx, v, e, entry, now)
	var change func(*Session)
	var dropped []SearchHistory
	if !going || e.Order != (search.Order{}) && e.Order != entry.order(e.Order.Sort) {
		change = func(kept *Session) {
			if other, going := kept.activeSearch(hash, now); going {
				entry = other // another tab may have recorded the query first
				kept.setOrder(hash, e.Order)
				return
			}
			dropped = kept.Searched(entry)
		}
	}
	begun := entry.Search
	ended := h.record(ctx, v, change, stored, func(ctx context.Context, tx postgres.Tx) error {
		return h.append(ctx, tx, v, v.Event(SearchExecutedV1, executedPayload(v, e, entry)))
	})
	if ended || entry.Search != begun {
		dropped = append(dropped, SearchHistory{Search: begun})
	}
	for _, d := range dropped {
		_ = h.sessions.searches.delete(ctx, d.Search) // on an error it expires within the hour
	}
	return entry.Search
}

// append appends an event, if it is sampled and the session has consent. Without an event the commit does not wait for the disk.
func (h *History) append(ctx context.Context, tx postgres.Tx, v Visitor, d event.Draft) error {
	appended, err := h.publisher.AppendTelemetry(ctx, tx, v.Session, d)
	if !appended {
		tx.AsyncCommit()
	}
	return err
}

// record changes the session, if there is a change, and runs also in the transaction that confirms it. If the document cannot be
// changed, also runs in a transaction of its own. If there is nothing to write in SQL, the transaction runs only to check, after
// another document of the session was stored, that the session has not ended. record reports whether it has.
func (h *History) record(ctx context.Context, v Visitor, change func(*Session), stored bool, also work) (ended bool) {
	ran := false
	once := func(ctx context.Context, tx postgres.Tx) error {
		ran = true
		return also(ctx, tx)
	}
	if change != nil {
		changed, err := h.sessions.changeWith(ctx, v.Session.ID, change, once)
		if err == nil && changed.ID.IsZero() {
			return true
		}
	}
	if ran || !stored && !v.Session.isTracked() {
		return false
	}
	lives, err := h.sessions.confirm(ctx, v.Session, once)
	return err == nil && !lives
}

// activeSearch returns the active search session of the same query, if there is one.
func (s Session) activeSearch(hash string, now time.Time) (SearchHistory, bool) {
	for _, h := range s.SearchHistory {
		if h.QueryHash == hash && h.isActive(now) {
			return h, true
		}
	}
	return SearchHistory{}, false
}

// Viewed records that the visitor viewed a hotel, and publishes it as a funnel step.
func (h *History) Viewed(ctx context.Context, v Visitor, seen RecentlyViewed) {
	if v.Session.temporary {
		return
	}
	_ = h.record(ctx, v, func(s *Session) { s.Viewed(seen) }, false, func(ctx context.Context, tx postgres.Tx) error {
		return h.append(ctx, tx, v, v.reached(Step{
			About:      About{Tenant: &seen.Tenant, Property: &seen.Property},
			Step:       StepDetailViewed,
			OccurredAt: seen.ViewedAt,
			Metadata:   &Metadata{Source: seen.Source},
		}))
	})
}

// searchedPlace is the searched place in events.
type searchedPlace struct {
	Mode    search.GeoMode `json:"mode"`
	City    string         `json:"city,omitzero"`
	Country string         `json:"country,omitzero"`
}

type searchExecuted struct {
	Session       id.GuestSession     `json:"guestSessionId"`
	Search        id.SearchSession    `json:"searchSessionId"`
	QueryHash     string              `json:"queryHash"`
	Kind          search.Presentation `json:"kind"`
	Geo           searchedPlace       `json:"geo"`
	Dates         search.DateRange    `json:"dates"`
	Occupancy     search.Party        `json:"occupancy"`
	FilterKeys    []string            `json:"filterKeys"`
	Sort          search.SortKey      `json:"sortKey"`
	Page          search.Page         `json:"page"`
	ResultCount   int                 `json:"resultCount"`
	FromCache     bool                `json:"fromCache"`
	CompositionMs int64               `json:"compositionMs"`
	Currency      money.Currency      `json:"currency"`
	Locale        locale.Tag          `json:"locale"`
}

func executedPayload(v Visitor, e search.Execution, h SearchHistory) searchExecuted {
	return searchExecuted{
		Session:   v.Session.ID,
		Search:    h.Search,
		QueryHash: h.QueryHash,
		Kind:      e.Presentation,
		Geo: searchedPlace{
			Mode:    e.Query.Geo.Mode,
			City:    e.Place.City,
			Country: e.Place.Country,
		},
		Dates:         e.Query.Dates,
		Occupancy:     e.Query.Occupancy.Party(),
		FilterKeys:    e.FilterKeys(),
		Sort:          e.Query.Sort,
		Page:          e.Page,
		ResultCount:   e.Count,
		FromCache:     e.Cached,
		CompositionMs: max(0, e.Took.Milliseconds()),
		Currency:      v.Currency,
		Locale:        v.Locale,
	}
}
