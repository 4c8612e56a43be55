package searchtest

import (
	"context"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// Reads is a document store that counts reads, except those of one collection.
type Reads struct {
	document.Store
	Except string

	mu          sync.Mutex
	collections []string // of each document
}

// Get implements document.Store.
func (r *Reads) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	r.mu.Lock()
	for _, n := range names {
		if n.Collection != r.Except {
			r.collections = append(r.collections, n.Collection)
		}
	}
	r.mu.Unlock()
	return r.Store.Get(ctx, now, names...)
}

// Since returns the collection of each document that was read since the last call.
func (r *Reads) Since() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	read := r.collections
	r.collections = nil
	return read
}
