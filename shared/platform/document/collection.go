package document

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Collection holds documents of one type under one name.
type Collection[T any] struct {
	env  env.Env
	name string
}

// Open names a collection, in lower-case letters, digits and dashes. It does not connect.
func Open[T any](e env.Env, collection string) Collection[T] {
	return Collection[T]{e, collection}
}

// Get returns the document, and whether it exists.
func (c Collection[T]) Get(ctx context.Context, key Key) (v T, ok bool, err error) {
	found, _, err := Read(ctx, c.env, c.Name(key))
	return c.first(key, found, err)
}

// GetPrefetched returns the document, and whether it exists: from the Prefetched of the context, or else from the store.
func (c Collection[T]) GetPrefetched(ctx context.Context, key Key) (v T, ok bool, err error) {
	found, _, err := GetPrefetched(ctx, c.env, c.Name(key))
	return c.first(key, found, err)
}

func (c Collection[T]) first(key Key, found []*Record, err error) (v T, ok bool, _ error) {
	if err != nil {
		return v, false, err
	}
	v, ok = c.Read(key, found[0])
	return v, ok, nil
}

// Create stores a document at version 0 if none exists, and reports whether it did: only one of several concurrent callers
// succeeds.
func (c Collection[T]) Create(ctx context.Context, key Key, v T, until time.Time) (bool, error) {
	store, r, err := c.prepare(key, v, 0, until)
	if err != nil {
		return false, err
	}
	return store.Create(ctx, c.env.Now(), c.Name(key), r)
}

// Put stores a document if none exists or if the stored one has a smaller version, and reports whether it did. So a caller that
// reads a document and puts it back with the next version never overwrites a concurrent change.
func (c Collection[T]) Put(ctx context.Context, key Key, v T, version int64, until time.Time) (bool, error) {
	store, r, err := c.prepare(key, v, version, until)
	if err != nil {
		return false, err
	}
	return store.Put(ctx, c.env.Now(), c.Name(key), r)
}

// Delete removes a document, if it exists.
func (c Collection[T]) Delete(ctx context.Context, key Key) error {
	store, err := StoreOf(c.env)
	if err != nil {
		return err
	}
	return store.Delete(ctx, c.Name(key))
}

// Name returns the key's address, for callers that read documents of several types at once.
func (c Collection[T]) Name(key Key) Name { return Name{c.name, key.id} }

// Read decodes the key's record, and reports whether it exists and could be decoded.
func (c Collection[T]) Read(key Key, r *Record) (v T, ok bool) {
	if r == nil {
		return v, false
	}
	content, ok := unseal(c.Name(key), r.Value)
	var whole T // a failed decode must not return a partial value
	if !ok || decode(content, &whole) != nil {
		return v, false
	}
	return whole, true
}

// prepare returns the store, and the document as the store keeps it.
func (c Collection[T]) prepare(key Key, v T, version int64, until time.Time) (Store, Record, error) {
	store, err := StoreOf(c.env)
	if err != nil {
		return nil, Record{}, err
	}
	content, err := encode(v)
	if err == nil && head+len(content) > MaxSize {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, Record{}, fmt.Errorf("document: encode for %s: %w", c.name, err)
	}
	return store, Record{Value: seal(c.Name(key), content), Version: version, ExpiresAt: until.Truncate(time.Microsecond)}, nil
}
