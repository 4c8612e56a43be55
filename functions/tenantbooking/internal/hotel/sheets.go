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
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Sheets serves public content of a hotel that depends on the language only. Each response is encoded once per version
// of its content, and shared caches may store it too.
type Sheets[T any] struct {
	find    func(context.Context, id.Tenant) (T, cache.State, cache.EntryID, error)
	show    func(T, locale.Tag) any
	written cache.Rendered[sheet]
}

// A sheet is an encoded response.
type sheet struct {
	body    []byte
	version int64
}

// OpenSheets returns the sheets of one kind. find reads the content, and show returns its representation in a language.
func OpenSheets[T any](e env.Env, name string, find func(context.Context, id.Tenant) (T, cache.State, cache.EntryID, error), show func(T, locale.Tag) any) Sheets[T] {
	return Sheets[T]{find: find, show: show, written: cache.OpenRendered[sheet](e, name)}
}

// Answer returns the sheet in the language that the request alone selects, by its parameter or Accept-Language: a shared
// cache does not know the session.
func (s Sheets[T]) Answer(ctx context.Context, t Tenant, h http.Header, named fn.Maybe[locale.Tag]) (out fn.JSON, err error) {
	language, err := asksFor(named, h, t)
	if err != nil {
		return out, err
	}
	found, state, mark, err := s.find(ctx, t.ID)
	if err != nil {
		return out, err
	}
	write := func() (sheet, int, error) { return write(s.show(found, language)) }
	shown, kept, err := s.written.Of(document.KeyOf(t.ID.String(), string(language)), []cache.EntryID{mark}, write)
	if !kept && err == nil {
		shown, _, err = write()
	}
	if err != nil {
		return out, err
	}
	out.Reply = fn.OK.Reply().Version(shown.version).Cached("public, max-age=300").FromCache(string(state)).Language(string(language))
	out.Body = shown.body
	return out, nil
}

// write encodes a sheet, and returns it with its size in bytes.
func write(content any) (sheet, int, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return sheet{}, 0, fmt.Errorf("sheets: write: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(body)
	return sheet{body, int64(sum.Sum64())}, len(body), nil
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
