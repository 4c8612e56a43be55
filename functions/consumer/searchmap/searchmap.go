// Package searchmap returns the pins of hotels on a map.
package searchmap

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function handles POST /bff/consumer/v1/search/map.
var Function = consumer.HTTP(fn.Spec{
	Name:      "consumer-searchmap",
	Route:     "POST " + consumer.Base + "/search/map",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search"), fn.Upstream("pricing"), fn.Upstream("theme")},
	Publishes: fn.Subjects{consumer.SearchExecutedV1},
	Timeout:   2 * time.Second,
}, New)

// A Request holds a query for a part of a map, and the hotels to highlight with a price, such as the one under the pointer.
type Request struct {
	Geo       consumer.GeoQuery             `json:"geo"`
	Dates     consumer.DateRange            `json:"dates"`
	Occupancy consumer.Occupancy            `json:"occupancy"`
	Filters   *consumer.Filters             `json:"filters,omitzero"`
	Spotlight fn.Maybe[consumer.Highlights] `json:"spotlight"`
}

func (r *Request) query() consumer.Query {
	return consumer.Query{Geo: r.Geo, Dates: r.Dates, Occupancy: r.Occupancy, Filters: r.Filters}
}

// ValidateAt rejects a query that is invalid at that time.
func (r *Request) ValidateAt(now time.Time) error {
	return r.query().CheckOnMap(r.Spotlight.Or(nil), now)
}

// A Response holds the pins. Parts that were not available in time are null, and listed in Degraded.
type Response struct {
	fn.Reply  `json:"-"`
	Search    id.SearchSession  `json:"searchSessionId"`
	Pins      []consumer.MapPin `json:"pins"`
	Total     int               `json:"total"`
	Clustered bool              `json:"clustered"`
	Truncated bool              `json:"truncated"`
	Stale     bool              `json:"stale"`
	Degraded  []string          `json:"degraded,omitempty"`
}

// finder finds the pins of hotels.
type finder interface {
	Map(context.Context, consumer.Visitor, consumer.Query, consumer.Highlights) (consumer.Marked, error)
}

// noter records and publishes searches.
type noter interface {
	Searched(context.Context, consumer.Visitor, consumer.Search, time.Time) id.SearchSession
}

type mapper struct {
	hotels finder
	diary  noter
	now    func() time.Time
}

// New returns the handler with the dependencies that its Spec declares.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	diary, err := consumer.OpenDiary(e)
	return (&mapper{hotels: consumer.OpenSearches(e), diary: diary, now: e.Now}).mark, err
}

func (m *mapper) mark(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	query := c.In.query()
	found, err := m.hotels.Map(ctx, c.Visitor, query, c.In.Spotlight.Or(nil))
	if err != nil {
		return out, err
	}
	search := m.diary.Searched(ctx, c.Visitor, found.Executed(query, m.now().Sub(c.Now)), c.Now)
	reply := fn.OK.Reply().FromCache(string(found.State)).Varies("Accept-Language", "Cookie", "X-Currency")
	return Response{
		Reply:     reply,
		Search:    search,
		Pins:      found.Pins,
		Total:     found.Total,
		Clustered: found.Clustered,
		Truncated: found.Truncated,
		Stale:     found.Stale,
		Degraded:  found.Missing,
	}, nil
}
