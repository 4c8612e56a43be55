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

// memories are all memories of a process, by name.
type memories struct {
	mu     sync.Mutex
	byName map[string]*memory
}

func memoriesOf(e env.Env) *memories {
	all, _ := env.Once(e, "cache", func() (*memories, error) { return &memories{byName: map[string]*memory{}}, nil }) // never fails
	return all
}

// openMemory returns the memory of that name, shared by all copies of an Env.
func openMemory(e env.Env, name string) *memory {
	all := memoriesOf(e)
	all.mu.Lock()
	defer all.mu.Unlock()
	m, ok := all.byName[name]
	if !ok {
		m = &memory{byKey: map[document.Key]*list.Element{}, recent: list.New()}
		all.byName[name] = m
	}
	return m
}

// Forget empties this process's memory, as after a restart. It does not change the store.
func Forget(e env.Env) {
	all := memoriesOf(e)
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, m := range all.byName {
		m.mu.Lock()
		clear(m.byKey)
		m.recent.Init()
		m.bytes = 0
		m.mu.Unlock()
	}
}

func (m *memory) get(key document.Key) (any, bool) {
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
func (m *memory) put(key document.Key, value any, size int) {
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
