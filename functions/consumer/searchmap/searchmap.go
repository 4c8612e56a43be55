// Package searchmap returns the pins of hotels on a map.
package searchmap

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /bff/consumer/v1/search/map.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-searchmap",
	Route:     "POST " + consumer.Base + "/search/map",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search"), fn.Upstream("pricing"), fn.Upstream("theme")},
	Publishes: fn.Subjects{session.SearchExecutedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request holds a query for a part of a map, and the hotels to highlight with a price, such as the one under the pointer.
type Request struct {
	Geo       search.GeoQuery             `json:"geo"`
	Dates     search.DateRange            `json:"dates"`
	Occupancy search.Occupancy            `json:"occupancy"`
	Filters   *search.Filters             `json:"filters,omitzero"`
	Spotlight fn.Maybe[search.Highlights] `json:"spotlight"`
}

func (r *Request) query() search.Query {
	return search.Query{Geo: r.Geo, Dates: r.Dates, Occupancy: r.Occupancy, Filters: r.Filters}
}

// ValidateAt rejects a query that is invalid at that time.
func (r *Request) ValidateAt(now time.Time) error {
	return r.query().CheckOnMap(r.Spotlight.Or(nil), now)
}

// A Response holds the pins. Parts that were not available in time are null, and listed in Degraded.
type Response struct {
	fn.Reply  `json:"-"`
	Search    id.SearchSession `json:"searchSessionId"`
	Pins      []search.MapPin  `json:"pins"`
	Total     int              `json:"total"`
	Clustered bool             `json:"clustered"`
	Truncated bool             `json:"truncated"`
	Stale     bool             `json:"stale"`
	Degraded  []string         `json:"degraded,omitempty"`
}

// finder finds the pins of hotels.
type finder interface {
	Map(context.Context, search.Query, money.Currency, search.Highlights) (search.MapResults, error)
}

// recorder records and publishes searches.
type recorder interface {
	Searched(context.Context, session.Visitor, search.Execution, time.Time) id.SearchSession
}

type handler struct {
	hotels  finder
	history recorder
	now     func() time.Time
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	history, err := session.OpenHistory(e)
	return (&handler{hotels: search.OpenSearches(e), history: history, now: e.Now}).mark, err
}

func (h *handler) mark(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	query := c.In.query()
	found, err := h.hotels.Map(ctx, query, c.Currency, c.In.Spotlight.Or(nil))
	if err != nil {
		return out, err
	}
	recorded := h.history.Searched(ctx, c.Visitor, found.Execution(query, h.now().Sub(c.Now)), c.Now)
	reply := fn.OK.Reply().FromCache(string(found.State)).Varies("Accept-Language", "Cookie", "X-Currency")
	return Response{
		Reply:     reply,
		Search:    recorded,
		Pins:      found.Pins,
		Total:     found.Total,
		Clustered: found.Clustered,
		Truncated: found.Truncated,
		Stale:     found.Stale,
		Degraded:  found.Missing,
	}, nil
}
