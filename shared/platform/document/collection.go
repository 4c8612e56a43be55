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
	store, err := StoreOf(c.env)
	if err != nil {
		return v, false, err
	}
	records, err := store.Get(ctx, c.env.Now(), c.Name(key))
	if err != nil {
		return v, false, err
	}
	v, ok = c.Read(key, records[0])
	return v, ok, nil
}

// Create stores a document at version 0 if none exists, and reports whether it did: only one of several concurrent callers
// succeeds.
func (c Collection[T]) Create(ctx context.Context, key Key, v T, until time.Time) (bool, error) {
	return c.write(key, v, 0, until, func(s Store, n Name, r Record) (bool, error) {
		return s.Create(ctx, c.env.Now(), n, r)
	})
}

// Put stores a document if none exists or if the stored one has a smaller version, and reports whether it did. So a caller that
// reads a document and puts it back with the next version never overwrites a concurrent change.
func (c Collection[T]) Put(ctx context.Context, key Key, v T, version int64, until time.Time) (bool, error) {
	return c.write(key, v, version, until, func(s Store, n Name, r Record) (bool, error) {
		return s.Put(ctx, c.env.Now(), n, r)
	})
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
	if !ok {
		return v, false
	}
	var whole T // a failed decode must not return a partial value
	if err := Decode(content, &whole); err != nil {
		return v, false
	}
	return whole, true
}

func (c Collection[T]) write(key Key, v T, version int64, until time.Time, how func(Store, Name, Record) (bool, error)) (bool, error) {
	store, err := StoreOf(c.env)
	if err != nil {
		return false, err
	}
	r, err := c.record(key, v, version, until)
	if err != nil {
		return false, err
	}
	return how(store, c.Name(key), r)
}

// record returns the document as a store keeps it.
func (c Collection[T]) record(key Key, v T, version int64, until time.Time) (Record, error) {
	content, err := Encode(v)
	if err == nil && head+len(content) > MaxSize {
		err = ErrTooLarge
	}
	if err != nil {
		return Record{}, fmt.Errorf("document: encode for %s: %w", c.name, err)
	}
	return Record{Value: seal(c.Name(key), content), Version: version, ExpiresAt: until.Truncate(time.Microsecond)}, nil
}
