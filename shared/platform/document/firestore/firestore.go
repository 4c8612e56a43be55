// Package firestore stores hot documents in Firestore, the default in the cloud.
//
//	hot/{collection}/documents/{4 hex digits of the key's hash}.{key}   value bytes · number, version int · expiresAt timestamp
//
// All documents are in one collection group, documents, so that one time-to-live policy (on expiresAt) and one index exemption
// (of every field: there are no queries) cover all collections.
//
// The package uses no transactions: contended ones are slow, and unusable on the emulator. Each change is one conditional write
// (optimistic concurrency control): the document must not exist, or must be unchanged since it was read. A writer that loses
// retries after a short delay.
//
// It uses the generated client, because the other one retries failures for up to a minute, including writes that may have
// succeeded. Here a failure is returned at once, because callers can work without hot documents.
package firestore

import (
	"context"
	"math/rand/v2"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Store is a document.Store in a project's Firestore.
type Store struct{ env env.Env }

var _ document.Store = (*Store)(nil)

// Open returns the store of the environment's project. It connects on first use.
func Open(e env.Env) *Store { return &Store{e} }

// Get reads all records in one call.
func (s *Store) Get(ctx context.Context, now time.Time, names ...document.Name) ([]*document.Record, error) {
	b, err := s.base()
	if err != nil {
		return nil, err
	}
	seen, err := b.read(ctx, names)
	if err != nil {
		return nil, err
	}
	found := make([]*document.Record, len(names))
	for i, n := range names {
		found[i] = alive(seen[b.path(n)], now)
	}
	return found, nil
}

// Create creates the document, or replaces an expired one.
func (s *Store) Create(ctx context.Context, now time.Time, name document.Name, r document.Record) (done bool, err error) {
	b, err := s.base()
	if err != nil {
		return false, err
	}
	done, err = b.write(ctx, name, nil, r) // usually there is no document, so it is not read first
	if done || err != nil {
		return done, err
	}
	return s.change(ctx, now, name, func(old *document.Record) (document.Record, bool) { return r, old == nil })
}

// Put creates the document, or replaces one that has expired or has a smaller version.
func (s *Store) Put(ctx context.Context, now time.Time, name document.Name, r document.Record) (bool, error) {
	return s.change(ctx, now, name, func(old *document.Record) (document.Record, bool) {
		return r, old == nil || old.Version < r.Version
	})
}

// Delete removes the document.
func (s *Store) Delete(ctx context.Context, name document.Name) error {
	b, err := s.base()
	if err != nil {
		return err
	}
	_, err = b.commit(ctx, &pb.Write{Operation: &pb.Write_Delete{Delete: b.path(name)}})
	return err
}

// Add reads, adds and writes.
func (s *Store) Add(ctx context.Context, now time.Time, name document.Name, n int64, until time.Time) (sum int64, err error) {
	_, err = s.change(ctx, now, name, func(old *document.Record) (document.Record, bool) {
		next := document.Record{Number: n, ExpiresAt: until}
		if old != nil {
			next = *old
			next.Number += n
			if until.After(next.ExpiresAt) {
				next.ExpiresAt = until
			}
		}
		sum = next.Number
		return next, true
	})
	return sum, err
}

// change reads a document and writes the record that next returns, if any, and repeats that until no other writer was faster. An
// expired document is nil for next.
func (s *Store) change(ctx context.Context, now time.Time, name document.Name, next func(*document.Record) (document.Record, bool)) (bool, error) {
	b, err := s.base()
	if err != nil {
		return false, err
	}
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		seen, err := b.read(ctx, []document.Name{name})
		if err != nil {
			return false, err
		}
		old := seen[b.path(name)]
		r, wanted := next(alive(old, now))
		if !wanted {
			return false, nil
		}
		done, err := b.write(ctx, name, old, r)
		if done || err != nil {
			return done, err
		}
		if err := env.Wait(ctx, rand.N(pause)); err != nil {
			return false, err
		}
	}
}

// The delay before another attempt is random below a bound that doubles, so that colliding writers diverge.
const (
	minPause = 2 * time.Millisecond
	maxPause = 100 * time.Millisecond
)
