package cache

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Memory keeps the values of all caches of a process. It saves reading and decoding a value. It does not decide whether the value
// is valid.
type Memory interface {
	// Get returns the value of a key, if it is kept.
	Get(document.Key) (value any, ok bool)
	// Put replaces the value of a key.
	Put(key document.Key, value any)
}

// MemoryKey sets the memory of a process. Without it, the caches of a process share one of NewMemory.
var MemoryKey = env.NewKey[Memory]("cache memory")

func memoryOf(e env.Env) Memory {
	if m, ok := MemoryKey.Get(e); ok {
		return m
	}
	m, _ := env.Once(e, "cache", func() (Memory, error) { return NewMemory(), nil }) // never fails
	return m
}

// The limits of a memory. An instance has a quarter of a gigabyte; a tenant's theme takes some 60 KB.
const (
	maxBytes   = 24 << 20
	maxEntries = 8 << 10

	entryOverhead = 256 // the memory that an entry takes besides its value
)

// A memory is an LRU cache bounded by entries and by bytes.
type memory struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[document.Key, sized]
	bytes int
}

type sized struct {
	value any
	bytes int // of its JSON, which is roughly the memory that it takes
}

// NewMemory returns an empty memory.
func NewMemory() Memory {
	m := &memory{}
	m.lru, _ = simplelru.NewLRU(maxEntries, func(_ document.Key, gone sized) { m.bytes -= gone.bytes }) // only a size of 0 is an error
	return m
}

func (m *memory) Get(key document.Key) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.lru.Get(key)
	return found.value, ok
}

func (m *memory) Put(key document.Key, value any) {
	text, _ := json.Marshal(value) // values come from JSON, or go there
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lru.Remove(key) // subtracts its bytes
	m.lru.Add(key, sized{value, len(text) + entryOverhead})
	m.bytes += len(text) + entryOverhead
	for m.bytes > maxBytes {
		m.lru.RemoveOldest()
	}
}
