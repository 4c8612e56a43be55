package document

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Prefetched holds several documents as of one moment, read by [Prefetch], or the error of the read. The zero Prefetched has
// no documents.
type Prefetched struct{ *prefetched }

type prefetched struct {
	at      time.Time
	names   []Name
	records []*Record
	err     error
}

type prefetchedKey struct{}

// Prefetch reads the documents that a call will read later with GetPrefetched, in one round trip. If no store
// is configured, it returns the zero Prefetched.
func Prefetch(ctx context.Context, e env.Env, names ...Name) Prefetched {
	store, err := StoreOf(e)
	if err != nil || len(names) == 0 {
		return Prefetched{} // a later read returns the error
	}
	s := &prefetched{at: e.Now()}
	for _, n := range names {
		if !slices.Contains(s.names, n) {
			s.names = append(s.names, n)
		}
	}
	s.records, s.err = store.Get(ctx, s.at, s.names...)
	return Prefetched{s}
}

// WithPrefetched returns a context in which GetPrefetched answers from s: with its documents, or with its error. All other
// methods read the store, because a caller that changes a document, or waits for a change, needs its current version.
func (s Prefetched) WithPrefetched(ctx context.Context) context.Context {
	if s.prefetched == nil {
		return ctx
	}
	return context.WithValue(ctx, prefetchedKey{}, s.prefetched)
}

// GetPrefetched returns the records in the order of their names, nil for absent ones, and the time of the read. It uses the
// Prefetched of the context if that has all the names; otherwise it reads the store.
func GetPrefetched(ctx context.Context, e env.Env, names ...Name) ([]*Record, time.Time, error) {
	if s, ok := ctx.Value(prefetchedKey{}).(*prefetched); ok {
		if found, known := s.of(names); known {
			return found, s.at, s.err
		}
	}
	return Read(ctx, e, names...)
}

// Read reads the records in the order of their names, nil for absent ones, and returns the time of the read.
func Read(ctx context.Context, e env.Env, names ...Name) ([]*Record, time.Time, error) {
	store, err := StoreOf(e)
	if err != nil {
		return nil, time.Time{}, err
	}
	now := e.Now()
	found, err := store.Get(ctx, now, names...)
	return found, now, err
}

// of returns the records of these names, if all of them were prefetched.
func (s *prefetched) of(names []Name) ([]*Record, bool) {
	found := make([]*Record, len(names))
	for i, n := range names {
		at := slices.Index(s.names, n)
		if at < 0 {
			return nil, false
		}
		if s.err == nil {
			found[i] = s.records[at]
		}
	}
	return found, true
}

// GetPrefetched returns the document, and whether it exists: from the Prefetched of the context, or else from the store.
func (c Collection[T]) GetPrefetched(ctx context.Context, key Key) (v T, ok bool, err error) {
	found, _, err := GetPrefetched(ctx, c.env, c.Name(key))
	if err != nil {
		return v, false, err
	}
	v, ok = c.Read(key, found[0])
	return v, ok, nil
}
