package search

import (
	"context"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
)

// contents describes an answer of the search service: the time of the request, the hotels that it shows and the cells of the
// searched place.
type contents struct {
	at     time.Time
	hotels []id.Property
	cells  []string
}

// renewEvery is the interval in which an answer is composed again at most once, however many of its hotels are indexed.
const renewEvery = 5 * time.Second

// A renewable answer is a cached answer with the time of its request. The parts in more belong to its key.
type renewable[T any] func(ctx context.Context, more ...string) (found T, at time.Time, state cache.State, err error)

// renewed fetches an answer from after the last change. The key contains the interval of the change. The first caller after a change
// asks again at once, unless the answer was renewed in the same interval: then the first caller of the next one asks again, and
// until then the answer may be from before the change.
func renewed[T any](ctx context.Context, last, now time.Time, fetch renewable[T]) (T, cache.State, error) {
	interval := last.Truncate(renewEvery)
	found, at, state, err := fetch(ctx, interval.Format(time.RFC3339))
	next := interval.Add(renewEvery)
	if err != nil || !last.After(at) || now.Before(next) {
		return found, state, err
	}
	found, _, state, err = fetch(ctx, next.Format(time.RFC3339))
	return found, state, err
}

// fetchIndexed fetches an answer of the search service. If one of its hotels, or another hotel in one of its cells, was indexed
// since, the answer is renewed; if that fails, the old answer is stale. Other changes appear when the answer expires.
//
// fetch fetches the answer under a key with the given parts. Hotels and cells are known only from the answer itself, so
// fetchIndexed compares the times of changes with the time of the answer.
func fetchIndexed[T any](
	ctx context.Context, indexed recentChanges, fetch func(ctx context.Context, more ...string) (T, cache.State, error), describe func(T) contents,
) (T, cache.State, error) {
	found, state, err := fetch(ctx)
	if err != nil || !isCached(state) {
		return found, state, err
	}
	last := describe(found).lastIndexed(ctx, indexed)
	if last.IsZero() {
		return found, state, nil
	}
	fresh, state, err := renewed(ctx, last, indexed.env.Now(), func(ctx context.Context, more ...string) (T, time.Time, cache.State, error) {
		fresh, state, err := fetch(ctx, more...)
		return fresh, describe(fresh).at, state, err
	})
	if err != nil {
		return found, cache.Stale, nil
	}
	return fresh, state, nil
}

// fetchOfHotels fetches a cached value about these hotels. If one of them was indexed, the value is renewed; if that fails, the value
// from before is stale.
func fetchOfHotels[T any](
	ctx context.Context, indexed recentChanges, c *cache.Cache[T], hotels, more []string, compose func(context.Context) (T, error),
) (T, cache.State, error) {
	parts := slices.Concat(hotels[1:], more)
	changes, _ := indexed.get(ctx, hotels...) // on an error the value is at most a minute old
	last := newest(changes)
	if last.IsZero() {
		return c.Fetch(ctx, document.KeyOf(hotels[0], parts...), nil, compose)
	}
	value, state, err := renewed(ctx, last, indexed.env.Now(), func(ctx context.Context, more ...string) (T, time.Time, cache.State, error) {
		found, state, err := c.FetchDated(ctx, document.KeyOf(hotels[0], slices.Concat(parts, more)...), nil, compose)
		return found.Value, found.At, state, err
	})
	return orStale(ctx, c, document.KeyOf(hotels[0], parts...), value, state, err)
}

// lastIndexed returns the latest time at which one of the hotels, or a hotel in one of the cells, was indexed after the request,
// or zero. Cells of other grids are ignored.
func (c contents) lastIndexed(ctx context.Context, indexed recentChanges) time.Time {
	var of []string
	for _, hotel := range c.hotels {
		of = append(of, hotel.String())
	}
	for _, cell := range c.cells {
		if area, ok := areaOf(cell); ok {
			of = append(of, area)
		}
	}
	changes, _ := indexed.get(ctx, of...) // on an error the answer is at most a minute old
	if last := newest(changes); last.After(c.at) {
		return last
	}
	return time.Time{}
}
