package platform

import (
	"context"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// A staleCache caches answers of another service in this process. It serves stale answers while the service fails
// (stale-if-error).
type staleCache[K comparable, V any] struct {
	now   func() time.Time
	fresh time.Duration
	ask   func(context.Context, K) (V, error)

	mu    sync.Mutex
	known map[K]answered[V]
}

type answered[V any] struct {
	value V
	until time.Time // fresh until then
}

func newStaleCache[K comparable, V any](now func() time.Time, fresh time.Duration, ask func(context.Context, K) (V, error)) *staleCache[K, V] {
	return &staleCache[K, V]{now: now, fresh: fresh, ask: ask, known: map[K]answered[V]{}}
}

// get returns the value of a key. It fails if the service does not know the key, or if the service fails and no answer
// is cached.
func (c *staleCache[K, V]) get(ctx context.Context, key K) (V, error) {
	c.mu.Lock()
	known, ok := c.known[key]
	c.mu.Unlock()
	if ok && c.now().Before(known.until) {
		return known.value, nil
	}
	value, err := c.ask(ctx, key)
	if ok && err != nil && fault.From(err).Kind != fault.NotFound {
		value, err = known.value, nil
	}
	if err == nil {
		c.store(key, value)
	}
	return value, err
}

// maxKnown limits the number of cached answers. A full cache is cleared; each lost entry costs one call.
const maxKnown = 10_000

func (c *staleCache[K, V]) store(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	c.known[key] = answered[V]{value, c.now().Add(c.fresh)}
}
