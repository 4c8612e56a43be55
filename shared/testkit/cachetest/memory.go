// Package cachetest gives a test control over the memory of a process's caches.
package cachetest

import (
	"sync"

	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Memory is the memory of a process's caches. A test can empty it, as a restart of the process does.
type Memory struct {
	mu     sync.Mutex
	memory cache.Memory
}

// Surround adds an empty memory to an Env.
func Surround(e env.Env) (env.Env, *Memory) {
	m := &Memory{memory: cache.NewMemory()}
	return cache.MemoryKey.With(e, m), m
}

// Empty removes all values. It does not change the document store.
func (m *Memory) Empty() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.memory = cache.NewMemory()
}

// Get returns the value of a key, if it is kept.
func (m *Memory) Get(key document.Key) (any, bool) { return m.current().Get(key) }

// Put replaces the value of a key.
func (m *Memory) Put(key document.Key, value any) { m.current().Put(key, value) }

func (m *Memory) current() cache.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory
}
