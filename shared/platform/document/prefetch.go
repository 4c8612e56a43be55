package document

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Prefetched holds several documents as of one moment, read by [Prefetch], or the error of the read. The zero Prefetched has
// no documents.
type Prefetched struct {
	at      time.Time
	records map[Name]*Record // nil for absent ones
	err     error
}

type prefetchedKey struct{}

// Prefetch reads the documents that a call will read later with GetPrefetched, in one round trip.
func Prefetch(ctx context.Context, e env.Env, names ...Name) Prefetched {
	s := Prefetched{records: make(map[Name]*Record, len(names))}
	names = slices.DeleteFunc(slices.Clone(names), func(n Name) bool {
		_, again := s.records[n]
		s.records[n] = nil
		return again
	})
	var found []*Record
	found, s.at, s.err = Read(ctx, e, names...)
	for i, r := range found {
		s.records[names[i]] = r
	}
	return s
}

// WithPrefetched returns a context in which GetPrefetched answers from s: with its documents, or with its error. All other
// methods read the store, because a caller that changes a document, or waits for a change, needs its current version.
func (s Prefetched) WithPrefetched(ctx context.Context) context.Context {
	if len(s.records) == 0 {
		return ctx
	}
	return context.WithValue(ctx, prefetchedKey{}, s)
}

// GetPrefetched returns the records in the order of their names, nil for absent ones, and the time of the read. It uses the
// Prefetched of the context if that has all the names; otherwise it reads the store.
func GetPrefetched(ctx context.Context, e env.Env, names ...Name) ([]*Record, time.Time, error) {
	s, ok := ctx.Value(prefetchedKey{}).(Prefetched)
	if !ok {
		return Read(ctx, e, names...)
	}
	found := make([]*Record, len(names))
	for i, n := range names {
		r, known := s.records[n]
		if !known {
			return Read(ctx, e, names...)
		}
		found[i] = r
	}
	return found, s.at, s.err
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
