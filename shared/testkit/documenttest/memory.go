package documenttest

import (
	"context"
	"slices"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

// Memory is an in-memory store. Its zero value is ready to use.
type Memory struct {
	// Refuse, if set, is called before each operation with the method's name. If it returns an error, the operation fails.
	Refuse func(verb string) error

	mu      sync.Mutex
	records map[document.Name]document.Record
}

var _ document.Store = (*Memory)(nil)

// Get returns copies of the records.
func (m *Memory) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	found := make([]*document.Record, len(names))
	err := m.use(ctx, "get", func() {
		for i, n := range names {
			if r, ok := m.alive(now, n); ok {
				r.Value = slices.Clone(r.Value)
				found[i] = &r
			}
		}
	})
	return found, err
}

// Create stores the record if it does not exist.
func (m *Memory) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (created bool, err error) {
	err = m.use(ctx, "create", func() {
		if _, ok := m.alive(now, name); !ok {
			m.keep(name, r)
			created = true
		}
	})
	return created, err
}

// Put stores the record if it does not exist or has a smaller version.
func (m *Memory) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (stored bool, err error) {
	err = m.use(ctx, "put", func() { stored = m.replace(now, name, r) })
	return stored, err
}

// Delete removes the record.
func (m *Memory) Delete(ctx context.Context, name document.Name) error {
	return m.use(ctx, "delete", func() { delete(m.records, name) })
}

// Add adds to a counter.
func (m *Memory) Add(ctx context.Context, now time.Time, name document.Name, n int64, until time.Time) (sum int64, err error) {
	err = m.use(ctx, "add", func() {
		r, _ := m.alive(now, name)
		r.Number += n
		if until.After(r.ExpiresAt) {
			r.ExpiresAt = until
		}
		m.keep(name, r)
		sum = r.Number
	})
	return sum, err
}

func (m *Memory) use(ctx context.Context, verb string, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.Refuse != nil {
		if err := m.Refuse(verb); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	return nil
}

func (m *Memory) alive(now time.Time, name document.Name) (document.Record, bool) {
	if r, ok := m.records[name]; ok && now.Before(r.ExpiresAt) {
		return r, true
	}
	return document.Record{}, false
}

// replace stores a record unless a live record has the same or a newer version.
func (m *Memory) replace(now time.Time, name document.Name, r document.Record) bool {
	if old, ok := m.alive(now, name); ok && old.Version >= r.Version {
		return false
	}
	m.keep(name, r)
	return true
}

func (m *Memory) keep(name document.Name, r document.Record) {
	if m.records == nil {
		m.records = map[document.Name]document.Record{}
	}
	r.Value = slices.Clone(r.Value)
	m.records[name] = r
}
