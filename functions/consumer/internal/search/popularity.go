package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// PopularitySignals tells how many guests have lately booked and viewed a hotel. A number below
// minPopularity is 0 and not shown.
type PopularitySignals struct {
	Booked int `json:"bookedLast24h,omitzero"`
	Viewed int `json:"viewedLast1h,omitzero"`
}

// minPopularity is the lowest number that is shown: lower ones do not recommend a hotel and say much about single guests.
const minPopularity = 3

// show returns the signals that are shown, or nil if there are none.
func (p PopularitySignals) show() *PopularitySignals {
	if p.Booked < minPopularity {
		p.Booked = 0
	}
	if p.Viewed < minPopularity {
		p.Viewed = 0
	}
	if p == (PopularitySignals{}) {
		return nil
	}
	return &p
}

// Popularity is the client of the search service for the demand for single hotels, with a cache: at most one request per hotel
// and minute. Older values are never shown.
type Popularity struct {
	client  *upstream.Client
	signals *cache.Cache[PopularitySignals]
	timeout time.Duration
}

// OpenPopularity opens the client.
func OpenPopularity(e env.Env) *Popularity {
	return &Popularity{
		client:  upstream.Open(e, "search", upstream.Policy{Timeout: timeout, Retries: 1}),
		signals: cache.Open[PopularitySignals](e, "consumer-popularity", cache.Policy{Fresh: time.Minute}),
		timeout: e.Timeout(timeout),
	}
}

// Get returns the signals of a hotel.
func (p *Popularity) Get(ctx context.Context, property id.Property) (PopularitySignals, cache.State, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.signals.Fetch(ctx, document.KeyOf(property.String()), nil, func(ctx context.Context) (PopularitySignals, error) {
		return p.request(ctx, property)
	})
}

func (p *Popularity) request(ctx context.Context, property id.Property) (PopularitySignals, error) {
	var out struct {
		Property id.Property `json:"propertyId"`
		PopularitySignals
	}
	if err := p.client.Get(ctx, "/popularity", url.Values{"propertyId": {property.String()}}, &out); err != nil {
		return PopularitySignals{}, fmt.Errorf("popularity: get %s: %w", property, err)
	}
	if out.Property != property || out.Booked < 0 || out.Viewed < 0 {
		return PopularitySignals{}, fault.ErrUpstreamUnavailable.Because(errors.New("popularity: get: impossible, or another hotel's"))
	}
	return out.PopularitySignals, nil
}
