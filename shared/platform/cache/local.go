package cache

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/forward"
)

// A Local caches values of one kind in this process only, for a fixed time. It suits small values that another process may compose
// again.
type Local[T any] struct {
	now    func() time.Time
	life   time.Duration
	name   string
	memory Memory
}

// A localValue is a value and when it was composed.
type localValue[T any] struct {
	value T
	at    time.Time
}

// OpenLocal returns the cache of that name. All callers in the process share it.
func OpenLocal[T any](e env.Env, name string, life time.Duration) Local[T] {
	return Local[T]{now: e.Now, life: life, name: "local " + name, memory: memoryOf(e)}
}

// Get returns the value, if it has not expired.
func (l Local[T]) Get(ctx context.Context, key document.Key) (value T, ok bool) {
	found, ok := l.memory.Get(l.place(key))
	kept, typed := found.(localValue[T])
	if _, forwarded := forward.Of(ctx); !ok || !typed || forwarded || !l.now().Before(kept.at.Add(l.life)) {
		return value, false
	}
	return kept.value, true
}

// Put stores a value that was composed at that time.
func (l Local[T]) Put(ctx context.Context, key document.Key, value T, at time.Time) {
	if _, forwarded := forward.Of(ctx); !forwarded {
		l.memory.Put(l.place(key), localValue[T]{value, at}, 0)
	}
}

// place returns the key in the memory that all caches share.
func (l Local[T]) place(key document.Key) document.Key { return document.KeyOf(l.name, key.String()) }
