package cache

import (
	"container/list"
	"sync"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A memory is an LRU cache in this process, bounded by entries and by bytes. (Packages such as golang-lru are bounded by entries
// only, but the values differ in size by a factor of a thousand.) It saves reading and decoding a value. It does not decide whether
// the value is valid.
type memory struct {
	mu     sync.Mutex
	byKey  map[document.Key]*list.Element // of *memoryEntry
	recent *list.List                     // the front was used last
	bytes  int
}

// The limits of a memory. An instance has a quarter of a gigabyte; a tenant's theme takes some 60 KB.
const (
	maxBytes   = 24 << 20
	maxEntries = 8 << 10
)

type memoryEntry struct {
	key   document.Key
	value any
	size  int // in bytes
}

// A Memory keeps the values of all caches of a process.
type Memory interface {
	// Get returns the value of a key, if it is kept.
	Get(document.Key) (value any, ok bool)
	// Put replaces the value of a key. Its size is in bytes.
	Put(key document.Key, value any, size int)
}

// MemoryKey sets the memory of a process. Without it, the caches of a process share one of NewMemory.
var MemoryKey = env.NewKey[Memory]("cache memory")

// NewMemory returns an empty memory.
func NewMemory() Memory { return newMemory() }

func newMemory() *memory {
	return &memory{byKey: map[document.Key]*list.Element{}, recent: list.New()}
}

func memoryOf(e env.Env) Memory {
	if m, ok := MemoryKey.Get(e); ok {
		return m
	}
	m, _ := env.Once(e, "cache", func() (Memory, error) { return NewMemory(), nil }) // never fails
	return m
}

func (m *memory) Get(key document.Key) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.byKey[key]
	if !ok {
		return nil, false
	}
	m.recent.MoveToFront(at)
	return at.Value.(*memoryEntry).value, true
}

// entryOverhead is the memory that an entry takes besides its value.
const entryOverhead = 256

// put replaces the value of a key and evicts the least recently used ones.
func (m *memory) Put(key document.Key, value any, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.byKey[key]; ok {
		m.remove(old)
	}
	m.byKey[key] = m.recent.PushFront(&memoryEntry{key, value, size + entryOverhead})
	m.bytes += size + entryOverhead
	for m.bytes > maxBytes || len(m.byKey) > maxEntries {
		m.remove(m.recent.Back())
	}
}

func (m *memory) remove(at *list.Element) {
	gone := m.recent.Remove(at).(*memoryEntry)
	delete(m.byKey, gone.key)
	m.bytes -= gone.size
}
