package search

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
)

// contents describes an answer of the search service: the time of the request, the hotels that it shows and the cells of the
// searched place.
type contents struct {
	at     time.Time
	hotels []id.Property
	cells  []string
}

// fetchIndexed fetches an answer of the search service. If one of its hotels, or another hotel in one of its cells, was indexed
// since, the first caller asks again; if that fails, the old answer is stale. Other changes appear when the answer expires.
//
// fetch fetches the answer under a key with the given parts. Hotels and cells are known only from the answer itself, so
// fetchIndexed compares the times of changes with the time of the answer.
func fetchIndexed[T any](
	ctx context.Context, indexed recentChanges, fetch func(ctx context.Context, more ...string) (T, cache.State, error), describe func(T) contents,
) (T, cache.State, error) {
	found, state, err := fetch(ctx)
	if err != nil || (state != cache.Hit && state != cache.Stale) {
		return found, state, err
	}
	newest := describe(found).lastIndexed(ctx, indexed)
	if newest.IsZero() {
		return found, state, nil
	}
	fresh, state, err := fetch(ctx, newest.Format(time.RFC3339Nano))
	if err != nil {
		return found, cache.Stale, nil
	}
	return fresh, state, nil
}

// lastIndexed returns the latest time at which one of the hotels, or a hotel in one of the cells, was indexed after the request,
// or zero. Cells of other grids are ignored.
func (c contents) lastIndexed(ctx context.Context, indexed recentChanges) (last time.Time) {
	var all []string
	for _, hotel := range c.hotels {
		all = append(all, hotel.String())
	}
	for _, cell := range c.cells {
		if area, ok := areaOf(cell); ok {
			all = append(all, area)
		}
	}
	changes, _ := indexed.get(ctx, all...) // on an error the answer is at most a minute old
	for _, change := range changes {
		if change.At.After(c.at) && change.At.After(last) {
			last = change.At
		}
	}
	return last
}
