package hotel

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Content serves public content of a hotel that depends on the language only. Shared caches may store the responses too.
type Content[T any] struct {
	// Find reads the content with its cache state.
	Find func(context.Context, id.Tenant) (T, cache.State, error)
	// View returns the representation in a language.
	View func(T, locale.Tag) any
}

// Respond returns the content in the language that the request alone selects, by its parameter or Accept-Language: a shared
// cache does not know the session.
func (c Content[T]) Respond(ctx context.Context, t Tenant, h http.Header, named fn.Maybe[locale.Tag]) (out fn.JSON, err error) {
	language, err := languageOf(named, h, t)
	if err != nil {
		return out, err
	}
	found, state, err := c.Find(ctx, t.ID)
	if err != nil {
		return out, err
	}
	if out.Body, err = json.Marshal(c.View(found, language)); err != nil {
		return out, fmt.Errorf("content: encode: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(out.Body)
	out.Reply = fn.OK.Reply().Version(int64(sum.Sum64())).Cached("public, max-age=300").FromCache(string(state)).Language(string(language))
	return out, nil
}

// languageOf returns the language of a request without a session: its query parameter, otherwise the one negotiated from
// Accept-Language.
func languageOf(named fn.Maybe[locale.Tag], h http.Header, t Tenant) (locale.Tag, error) {
	if l, ok := named.Get(); ok {
		if !slices.Contains(t.Locales, l) {
			return "", ErrLocaleNotSupported
		}
		return l, nil
	}
	return locale.Negotiate(strings.Join(h.Values("Accept-Language"), ","), t.Locales), nil
}
