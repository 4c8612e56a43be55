// Package suggestdestinations suggests cities while a traveller types.
package suggestdestinations

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /bff/consumer/v1/destinations.
var Function = consumer.HTTP(fn.Spec{
	Name:    "consumer-suggestdestinations",
	Route:   "GET " + consumer.Base + "/destinations",
	Uses:    fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("search")},
	Timeout: time.Second,
}, New)

// A Request is the beginning of a name in any language. It is not stored.
type Request struct {
	Prefix search.Prefix `query:"q"`
}

// A Response holds the suggestions, the best first. The city of one is the city of a search.
type Response struct {
	fn.Reply     `json:"-"`
	Destinations []search.DestinationView `json:"destinations"`
}

// suggester finds destinations.
type suggester interface {
	Suggest(context.Context, locale.Tag, search.Prefix) ([]search.DestinationView, cache.State, error)
}

type handler struct {
	destinations suggester
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	return (&handler{search.OpenDestinations(e)}).suggest, nil
}

func (h *handler) suggest(ctx context.Context, c consumer.Call[Request]) (Response, error) {
	found, state, err := h.destinations.Suggest(ctx, c.Locale, c.In.Prefix)
	if err != nil {
		return Response{}, err
	}
	return Response{fn.OK.Reply().FromCache(string(state)).Varies("Accept-Language", "Cookie"), found}, nil
}
