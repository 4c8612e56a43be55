package document

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/env"
)

// A Sight is what a store showed of several documents at one moment, or why it showed nothing. The zero Sight shows nothing.
type Sight struct{ *sight }

type sight struct {
	at      time.Time
	names   []Name
	records []*Record
	err     error
}

type sightKey struct{}

// Ahead reads, in one use of the store, what a call will look at one after the other. Calls that look ahead while one does
// are answered together, in the next.
func Ahead(ctx context.Context, e env.Env, names ...Name) Sight {
	store, err := boundedOf(e)
	if err != nil || len(names) == 0 {
		return Sight{} // who looks is told
	}
	s := &sight{at: e.Now()}
	for _, n := range names {
		if !slices.Contains(s.names, n) {
			s.names = append(s.names, n)
		}
	}
	s.records, s.err = store.together(ctx, s.at, s.names)
	return Sight{s}
}

// Under is a context under which a glance is answered from what was seen; where the store was away, it is away for them
// all. What is read otherwise is read anew: who changes what they have read, or waits for a change, must see the store as it is.
func (s Sight) Under(ctx context.Context) context.Context {
	if s.sight == nil {
		return ctx
	}
	return context.WithValue(ctx, sightKey{}, s.sight)
}

// Glance returns the records as they were when somebody looked ahead, and when that was. What nobody has looked at, it reads.
func Glance(ctx context.Context, e env.Env, names ...Name) ([]*Record, time.Time, error) {
	if s, ok := ctx.Value(sightKey{}).(*sight); ok {
		if found, known := s.of(names); known {
			return found, s.at, s.err
		}
	}
	return Read(ctx, e, names...)
}

// Read reads the records as they are, and says when that was.
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
func (s *sight) of(names []Name) ([]*Record, bool) {
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

// Glance returns the document as it was when somebody looked ahead, and reads it where nobody has.
func (c Collection[T]) Glance(ctx context.Context, key Key) (v T, ok bool, err error) {
	found, _, err := Glance(ctx, c.env, c.Name(key))
	if err != nil {
		return v, false, err
	}
	v, ok = c.Read(key, found[0])
	return v, ok, nil
}
