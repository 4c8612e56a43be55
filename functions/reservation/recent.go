package reservation

import (
	"context"
	"sync"
	"time"
)

// A recent remembers answers of another service in this process: each for a while, and longer while the service fails.
type recent[K comparable, V any] struct {
	now  func() time.Time
	keep time.Duration
	ask  func(context.Context, K) (V, error)

	mu    sync.Mutex
	known map[K]answered[V]
}

type answered[V any] struct {
	value V
	fresh time.Time // until then the service is not asked again
}

func remember[K comparable, V any](now func() time.Time, keep time.Duration, ask func(context.Context, K) (V, error)) *recent[K, V] {
	return &recent[K, V]{now: now, keep: keep, ask: ask, known: map[K]answered[V]{}}
}

// get returns the value of a key. It fails only if the service fails and has never answered for that key.
func (r *recent[K, V]) get(ctx context.Context, key K) (V, error) {
	r.mu.Lock()
	known, ok := r.known[key]
	r.mu.Unlock()
	if ok && r.now().Before(known.fresh) {
		return known.value, nil
	}
	value, err := r.ask(ctx, key)
	if err != nil {
		if !ok {
			return value, err
		}
		value = known.value
	}
	r.store(key, value)
	return value, nil
}

// maxRecent bounds what one process remembers. Forgetting costs one call.
const maxRecent = 10_000

func (r *recent[K, V]) store(key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxRecent {
		clear(r.known)
	}
	r.known[key] = answered[V]{value, r.now().Add(r.keep)}
}
