package search

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A recentChanges is a set of the latest changes of hotels or tenants, in a fixed number of shared documents: an answer reads
// the same few documents regardless of the number of hotels.
type recentChanges struct {
	env    env.Env
	sets   document.Collection[changeSet]
	kind   string
	shards int           // number of documents, so that writers of different hotels seldom conflict
	life   time.Duration // a change counts within this time before and after its own
}

// A changeSet is one of the documents. It contains the last change of each hotel or tenant.
type changeSet struct {
	Version int64             `json:"version"`
	Changes map[string]change `json:"changes"`
}

// A change is the time of a change and, for tenants, the status since then.
type change struct {
	At        time.Time `json:"at"`
	Suspended bool      `json:"suspended,omitzero"`
}

// within reports whether the change is less than a duration away, in the past or in the future. A change further in the future
// comes from a wrong clock.
func (c change) within(d time.Duration, now time.Time) bool {
	return now.Sub(c.At).Abs() < d
}

// clockError is an upper bound for the difference between the clocks of two processes.
const clockError = time.Minute

// maxChanges bounds one document. Beyond it the oldest change is dropped: each cached value has a lifetime too.
const maxChanges = 400

func openChanges(e env.Env, kind string, shards int, life time.Duration) recentChanges {
	return recentChanges{env: e, sets: document.Open[changeSet](e, "consumer-changes"), kind: kind, shards: shards, life: life}
}

// key returns the key of the document with the changes of one hotel or tenant.
func (r recentChanges) key(of string) document.Key {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(of))
	return r.shard(int(sum.Sum32() % uint32(r.shards)))
}

func (r recentChanges) shard(n int) document.Key { return document.KeyOf(r.kind, strconv.Itoa(n)) }

// names returns the names of all documents of the set, for [document.Prefetch].
func (r recentChanges) names() []document.Name {
	names := make([]document.Name, r.shards)
	for n := range names {
		names[n] = r.sets.Name(r.shard(n))
	}
	return names
}

// get returns the last change of each of the hotels or tenants that has changed recently.
func (r recentChanges) get(ctx context.Context, all ...string) (map[string]change, error) {
	found, now := map[string]change{}, r.env.Now()
	sets := map[document.Key]changeSet{}
	var keys []document.Key
	for _, one := range all {
		if key := r.key(one); !has(sets, key) {
			sets[key] = changeSet{}
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return found, nil
	}
	if err := r.read(ctx, keys, sets); err != nil {
		return nil, err
	}
	for _, one := range all {
		if c, ok := sets[r.key(one)].Changes[one]; ok && c.within(r.life, now) {
			found[one] = c
		}
	}
	return found, nil
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// read reads documents in one round trip, or takes them from the context's [document.Prefetched].
func (r recentChanges) read(ctx context.Context, keys []document.Key, into map[document.Key]changeSet) error {
	names := make([]document.Name, len(keys))
	for i, key := range keys {
		names[i] = r.sets.Name(key)
	}
	records, _, err := document.GetPrefetched(ctx, r.env, names...)
	if err != nil {
		return fmt.Errorf("changes of %s: %w", r.kind, err)
	}
	for i, key := range keys {
		into[key], _ = r.sets.Read(key, records[i])
	}
	return nil
}

// put records a change, unless a later one is recorded or it is no longer recent.
func (r recentChanges) put(ctx context.Context, of string, c change) error {
	return r.update(ctx, of, func(last change, known bool) (change, bool) { return c, !known || last.At.Before(c.At) })
}

// touch records a change at the current time, or just after the last recorded change if that is later, so that times increase
// even if clocks differ.
func (r recentChanges) touch(ctx context.Context, of string) error {
	now := r.env.Now().Truncate(time.Microsecond)
	return r.update(ctx, of, func(last change, known bool) (change, bool) {
		if known && !last.At.Before(now) {
			return change{At: last.At.Add(time.Microsecond)}, true
		}
		return change{At: now}, true
	})
}

// maxAttempts is the maximum number of attempts to change a document. Of concurrent writers, one succeeds in each round.
const maxAttempts = 32

// update replaces the last change with optimistic concurrency control.
func (r recentChanges) update(ctx context.Context, of string, next func(last change, known bool) (change, bool)) error {
	key, now := r.key(of), r.env.Now()
	for range maxAttempts {
		set, found, err := r.sets.Get(ctx, key)
		if err != nil {
			return fmt.Errorf("changes of %s: %w", r.kind, err)
		}
		last, known := set.Changes[of]
		c, newer := next(last, known)
		if !newer || !c.within(r.life, now) {
			return nil
		}
		maps.DeleteFunc(set.Changes, func(_ string, old change) bool { return !old.within(r.life, now) })
		set.add(of, c)
		stored, err := r.save(ctx, key, set, found, now.Add(2*r.life))
		if err != nil {
			return fmt.Errorf("changes of %s: %w", r.kind, err)
		}
		if stored {
			return nil
		}
	}
	return fmt.Errorf("changes of %s: %w", r.kind, fault.ErrVersionConflict)
}

// save stores a changed set, and reports false if another writer has stored the document since it was read.
func (r recentChanges) save(ctx context.Context, key document.Key, set changeSet, found bool, until time.Time) (bool, error) {
	if !found {
		return r.sets.Create(ctx, key, set, until) // at version 0
	}
	set.Version++
	return r.sets.Put(ctx, key, set, set.Version, until)
}

// add puts a change into the set, and drops the oldest if there are more than maxChanges.
func (s *changeSet) add(of string, c change) {
	if s.Changes == nil {
		s.Changes = map[string]change{}
	}
	s.Changes[of] = c
	if len(s.Changes) <= maxChanges {
		return
	}
	oldest := of
	for one, other := range s.Changes {
		if other.At.Before(s.Changes[oldest].At) {
			oldest = one
		}
	}
	delete(s.Changes, oldest)
}

// newest returns the time of the latest change, or zero if there is none.
func newest(changes map[string]change) (last time.Time) {
	for _, c := range changes {
		if c.At.After(last) {
			last = c.At
		}
	}
	return last
}

// fetchSince fetches a cached value about these hotels or tenants. The times of their changes are part of the key, so values
// from before a change are not found, including values whose composition started before the change was known. If compose
// fails, fetchSince returns the value from before the changes as stale.
func fetchSince[T any](ctx context.Context, c *cache.Cache[T], changes map[string]change, of, more []string, compose func(context.Context) (T, error)) (T, cache.State, error) {
	parts := slices.Concat(of[1:], more)
	key, changed := document.KeyOf(of[0], parts...), []string(nil)
	for _, one := range of {
		if c, ok := changes[one]; ok {
			changed = append(changed, one, strconv.FormatInt(c.At.UnixMicro(), 10))
		}
	}
	if changed == nil {
		return c.Fetch(ctx, key, nil, compose)
	}
	value, state, err := c.Fetch(ctx, document.KeyOf(of[0], slices.Concat(parts, changed)...), nil, compose)
	return orStale(ctx, c, key, value, state, err)
}

// orStale returns the value under the key as stale if there is an error. Without such a value it returns the error.
func orStale[T any](ctx context.Context, c *cache.Cache[T], key document.Key, value T, state cache.State, err error) (T, cache.State, error) {
	if err == nil {
		return value, state, nil
	}
	old, _, failed := c.Fetch(ctx, key, nil, func(context.Context) (T, error) { return value, err })
	if failed != nil {
		return value, state, err
	}
	return old, cache.Stale, nil
}
