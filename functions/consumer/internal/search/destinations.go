package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Prefix is the beginning of a place's name, as a visitor types it in any language.
type Prefix string

// UnmarshalText rejects an empty text and one that is no beginning of a place's name.
func (p *Prefix) UnmarshalText(text []byte) error {
	typed := tidy(string(text))
	if typed == "" || !isPlaceName(typed) {
		return fmt.Errorf("must have 1 to %d characters in one line", maxNameLength)
	}
	*p = Prefix(strings.ToLower(typed))
	return nil
}

// A Destination is a city with hotels, as the search service returns it.
type Destination struct {
	City    string      `json:"city"` // a name that a search by city accepts
	Name    locale.Text `json:"name"`
	Country string      `json:"country"`
	Geo     Position    `json:"geo"`
	Hotels  int         `json:"hotels"`
}

// A DestinationView is a destination for one visitor.
type DestinationView struct {
	City    string          `json:"city"`
	Name    LocalizedString `json:"name"`
	Country string          `json:"country"`
	Geo     Position        `json:"geo"`
	Hotels  int             `json:"hotels"`
}

// Destinations is the client of the search service for suggestions, with a cache: at most one request per prefix in five minutes.
type Destinations struct {
	client *upstream.Client
	cached *cache.Cache[[]Destination]
}

// OpenDestinations opens the client.
func OpenDestinations(e env.Env) *Destinations {
	return &Destinations{
		client: upstream.Open(e, "search", upstream.Policy{Timeout: 700 * time.Millisecond, Retries: 1}),
		cached: cache.Open[[]Destination](e, "consumer-destinations", rarelyChanged),
	}
}

// maxDestinations is the maximum number of suggestions.
const maxDestinations = 8

// Suggest returns the cities that the visitor may mean, the best match first.
func (d *Destinations) Suggest(ctx context.Context, l locale.Tag, p Prefix) ([]DestinationView, cache.State, error) {
	found, state, err := d.cached.Fetch(ctx, key(p), nil, func(ctx context.Context) ([]Destination, error) { return d.request(ctx, p) })
	if err != nil {
		return nil, state, asBudgetExceeded(err)
	}
	shown := make([]DestinationView, len(found))
	for i, one := range found {
		shown[i] = DestinationView{City: one.City, Name: localized(one.Name, l), Country: one.Country, Geo: one.Geo, Hotels: one.Hotels}
	}
	return shown, state, nil
}

func (d *Destinations) request(ctx context.Context, p Prefix) ([]Destination, error) {
	var out struct {
		Destinations []Destination `json:"destinations"`
	}
	query := url.Values{"q": {string(p)}, "limit": {strconv.Itoa(maxDestinations)}}
	if err := d.client.Get(ctx, "/destinations", query, &out); err != nil {
		return nil, fmt.Errorf("destinations: suggest: %w", err)
	}
	if out.Destinations == nil || len(out.Destinations) > maxDestinations {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("destinations: suggest: incomplete, or more than asked for"))
	}
	return out.Destinations, nil
}
