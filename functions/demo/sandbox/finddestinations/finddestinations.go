// Package finddestinations finds the cities that a traveller may mean.
package finddestinations

import (
	"context"
	"time"
	"unicode/utf8"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/search/v1/destinations.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-finddestinations",
	Route:   "GET /sandbox/search/v1/destinations",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const (
	maxLength = 80 // characters
	maxCities = 20
)

// A Request is the beginning of a name, in any language, and the number of cities wanted.
type Request struct {
	Text  string `query:"q"`
	Limit int    `query:"limit"`
}

// Validate rejects a text that is too long, and too many cities.
func (r *Request) Validate() error {
	if utf8.RuneCountInString(r.Text) > maxLength {
		return standin.Refuse("/q", "length", "Must have at most 80 characters.")
	}
	if r.Limit < 1 || r.Limit > maxCities {
		return standin.Refuse("/limit", "range", "Must be 1 to 20.")
	}
	return nil
}

// A Response holds the cities, the best match first.
type Response struct {
	Destinations []search.Destination `json:"destinations"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	listings := search.OpenListings(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		all, err := listings.Destinations(ctx, c.In.Text, c.In.Limit)
		return Response{all}, err
	}, nil
}
