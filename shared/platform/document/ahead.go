package document

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Prefetched is several documents as they were at one moment, read by [Prefetch], or the error of reading them. The zero Sight has
// none.
type Prefetched struct{ *prefetched }

type prefetched struct {
	at      time.Time
	names   []Name
	records []*Record
	err     error
}

type prefetchedKey struct{}

// Prefetch reads in one round trip the documents that a call is going to look at one after the other, with GetPrefetched. Calls of one
// process that do so while such a read is under way share the next one. Where there is no store it returns the zero Sight.
func Prefetch(ctx context.Context, e env.Env, names ...Name) Prefetched {
	store, err := boundedOf(e)
	if err != nil || len(names) == 0 {
		return Prefetched{} // who looks is told
	}
	s := &prefetched{at: e.Now()}
	for _, n := range names {
		if !slices.Contains(s.names, n) {
			s.names = append(s.names, n)
		}
	}
	s.records, s.err = store.together(ctx, s.at, s.names)
	return Prefetched{s}
}

// WithPrefetched returns a context in which GetPrefetched answers from the Sight: with its documents, or with its error. Everything else asks
// the store all the same, for whoever changes what they have read, or waits for a change, must see it as it is.
func (s Prefetched) WithPrefetched(ctx context.Context) context.Context {
	if s.prefetched == nil {
		return ctx
	}
	return context.WithValue(ctx, prefetchedKey{}, s.prefetched)
}

// GetPrefetched returns the records in the order of their names, nil where there is none, and the time at which they were read. It
// takes them from the Sight that the context has, if that has all of them; else it reads them.
func GetPrefetched(ctx context.Context, e env.Env, names ...Name) ([]*Record, time.Time, error) {
	if s, ok := ctx.Value(prefetchedKey{}).(*prefetched); ok {
		if found, known := s.of(names); known {
			return found, s.at, s.err
		}
	}
	return Read(ctx, e, names...)
}

// Read reads the records in the order of their names, nil where there is none, and returns the time at which it did.
func Read(ctx context.Context, e env.Env, names ...Name) ([]*Record, time.Time, error) {
	store, err := StoreOf(e)
	if err != nil {
		return nil, time.Time{}, err
	}
	now := e.Now()
	found, err := store.Get(ctx, now, names...)
	return found, now, err
}

// of returns the records of these names, if all of them were looked at.
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

// GetPrefetched returns the document and whether there is one: from the Sight that the context has, else from the store.
func (c Collection[T]) GetPrefetched(ctx context.Context, key Key) (v T, ok bool, err error) {
	found, _, err := GetPrefetched(ctx, c.env, c.Name(key))
	if err != nil {
		return v, false, err
	}
	v, ok = c.Read(key, found[0])
	return v, ok, nil
}
