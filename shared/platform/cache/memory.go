package cache

import (
	"container/list"
	"sync"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A memory is what this process has read of kept values: it spares reading and decoding them again. It vouches for nothing. A
// value of it answers under the same conditions as the store's: while the generations still stand, for which the store is
// asked at every use, and its time is not over. It has only what the store has shown, and what depends on no generation.
type memory struct {
	mu      sync.Mutex
	known   map[place]*list.Element // of *memorized
	recent  *list.List              // the front was used last
	bytes   int
	serials uint64
}

// The bounds of a memory. An instance has a quarter of a gigabyte; a hotel's look is some 60 KB of text.
const (
	maxBytes   = 24 << 20
	maxEntries = 8 << 10
)

// A place is where a value is kept.
type place struct {
	cache string
	key   document.Key
}

// memorized is a value, or what was made of values, with its weight in bytes.
type memorized struct {
	place  place
	value  any
	weight int
	serial uint64
}

func openMemory(e env.Env) *memory {
	m, _ := env.Once(e, "cache.memory", func() (*memory, error) { // it cannot fail
		return &memory{known: map[place]*list.Element{}, recent: list.New()}, nil
	})
	return m
}

// Forget drops what this process has in memory, as if it had just begun. What is kept stays where it is kept.
func Forget(e env.Env) {
	m := openMemory(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.known)
	m.recent.Init()
	m.bytes = 0
}

// find returns what is remembered of a place.
func (m *memory) find(p place) (memorized, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.known[p]
	if !ok {
		return memorized{}, false
	}
	m.recent.MoveToFront(at)
	return *at.Value.(*memorized), true
}

// overhead is what an entry costs besides its value.
const overhead = 256

// remember keeps a value in place of what was there, and forgets for it what was not used for longest. It returns the
// serial of the value, by which it is told from every other.
func (m *memory) remember(p place, value any, weight int) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serials++
	if old, ok := m.known[p]; ok {
		m.drop(old)
	}
	m.known[p] = m.recent.PushFront(&memorized{place: p, value: value, weight: weight + overhead, serial: m.serials})
	m.bytes += weight + overhead
	for m.bytes > maxBytes || len(m.known) > maxEntries {
		m.drop(m.recent.Back())
	}
	return m.serials
}

func (m *memory) drop(at *list.Element) {
	gone := m.recent.Remove(at).(*memorized)
	delete(m.known, gone.place)
	m.bytes -= gone.weight
}
