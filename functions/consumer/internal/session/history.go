package session

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A History records searches and viewed hotels in the visitor's session, and publishes searches. Events contain no typed text:
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

// searchLife is the lifetime of a search session: the same query within it continues the search session.
const searchLife = time.Hour

// Order returns the result that the visitor pages through, or zero if they have not made that query in the last hour.
func (h *History) Order(v Visitor, q search.Query, now time.Time) search.Order {
	entry, _ := v.Session.activeSearch(h.hash(q.Normal()), now)
	return entry.Order
}

// hash returns a peppered hash of the query: a plain hash of typed text could be reversed by guessing.
func (h *History) hash(q search.Query) string {
	return string(h.peppers.Hash(pseudonym.Fingerprint(q.Identity())))
}

// Searched records and publishes a search and returns its search session: the one of the same query less than an hour ago, or
// a new one. Errors do not fail the request.
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
			Order:      e.Order,
		}
	}
	if kept := !v.Session.temporary; kept && (!going || e.Order != (search.Order{}) && e.Order != entry.Order) {
		_, _ = h.sessions.Change(ctx, v.Session.ID, func(kept *Session) {
			if other, going := kept.activeSearch(hash, now); going {
				entry = other // another tab may have recorded the query first
				kept.setOrder(hash, e.Order)
				return
			}
			kept.Searched(entry)
		})
	}
	_ = h.publisher.Publish(ctx, v.Session, v.Event(SearchExecutedV1, executedPayload(v, e, entry)))
	return entry.Search
}

// activeSearch returns the active search session of the same query, if there is one.
func (s Session) activeSearch(hash string, now time.Time) (SearchHistory, bool) {
	for _, h := range s.SearchHistory {
		if h.QueryHash == hash && now.Before(h.ExecutedAt.Add(searchLife)) {
			return h, true
		}
	}
	return SearchHistory{}, false
}

// hasActiveSearch reports whether a search session belongs to this session and has not expired.
func (s Session) hasActiveSearch(search id.SearchSession, now time.Time) bool {
	return slices.ContainsFunc(s.SearchHistory, func(h SearchHistory) bool {
		return h.Search == search && now.Before(h.ExecutedAt.Add(searchLife))
	})
}

// Viewed records that the visitor viewed a hotel.
func (h *History) Viewed(ctx context.Context, v Visitor, seen RecentlyViewed) {
	if !v.Session.temporary {
		_, _ = h.sessions.Change(ctx, v.Session.ID, func(s *Session) { s.Viewed(seen) })
	}
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
		FromCache:     e.State == cache.Hit,
		CompositionMs: max(0, e.Took.Milliseconds()),
		Currency:      v.Currency,
		Locale:        v.Locale,
	}
}
