package cache

import (
	"container/list"
	"sync"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A memory is an LRU cache of values that this process has read. It saves reading and decoding them, but does not decide their
// validity: a value is used under the same conditions as the store's, while its epochs, which are read from the store on every
// use, are unchanged and its time has not expired. It holds only values that were read from the store, and values without
// epochs.
type memory struct {
	mu      sync.Mutex
	known   map[place]*list.Element // of *memorized
	recent  *list.List              // the front was used last
	bytes   int
	serials uint64
}

// The limits of a memory. An instance has a quarter of a gigabyte; a tenant's theme takes some 60 KB.
const (
	maxBytes   = 24 << 20
	maxEntries = 8 << 10
)

// A place identifies a cached value.
type place struct {
	cache string
	key   document.Key
}

// memorized is a value, or a result made of values, with its weight in bytes.
type memorized struct {
	place  place
	value  any
	weight int
	serial uint64
}

func openMemory(e env.Env) *memory {
	m, _ := env.Once(e, "cache.memory", func() (*memory, error) { // never fails
		return &memory{known: map[place]*list.Element{}, recent: list.New()}, nil
	})
	return m
}

// Forget empties this process's memory, as after a restart. It does not change the store.
func Forget(e env.Env) {
	m := openMemory(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.known)
	m.recent.Init()
	m.bytes = 0
}

// find returns the value in memory.
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

// overhead is the memory that an entry takes besides its value.
const overhead = 256

// remember replaces the value of a place and evicts the least recently used ones. It returns the serial of the value, which is
// unique.
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
