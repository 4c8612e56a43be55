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

// Sheets serves public content of a hotel that depends on the language only. Shared caches may store the responses too.
type Sheets[T any] struct {
	// Find reads the content with its cache state.
	Find func(context.Context, id.Tenant) (T, cache.State, error)
	// Show returns the representation in a language.
	Show func(T, locale.Tag) any
}

// Answer returns the sheet in the language that the request alone selects, by its parameter or Accept-Language: a shared
// cache does not know the session.
func (s Sheets[T]) Answer(ctx context.Context, t Tenant, h http.Header, named fn.Maybe[locale.Tag]) (out fn.JSON, err error) {
	language, err := asksFor(named, h, t)
	if err != nil {
		return out, err
	}
	found, state, err := s.Find(ctx, t.ID)
	if err != nil {
		return out, err
	}
	if out.Body, err = json.Marshal(s.Show(found, language)); err != nil {
		return out, fmt.Errorf("sheets: encode: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(out.Body)
	out.Reply = fn.OK.Reply().Version(int64(sum.Sum64())).Cached("public, max-age=300").FromCache(string(state)).Language(string(language))
	return out, nil
}

// asksFor returns the language of a request without a session: its query parameter, otherwise the one negotiated from
// Accept-Language.
func asksFor(named fn.Maybe[locale.Tag], h http.Header, t Tenant) (locale.Tag, error) {
	if l, ok := named.Get(); ok {
		if !slices.Contains(t.Locales, l) {
			return "", ErrLocaleNotSupported
		}
		return l, nil
	}
	return locale.Negotiate(strings.Join(h.Values("Accept-Language"), ","), t.Locales), nil
}
