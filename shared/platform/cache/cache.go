// Package cache is a read-through cache on hot documents. It composes a missing value at most once at a time (single-flight).
//
// A cached value stores the epochs that were read before it was composed. It is valid while they are unchanged and its time has
// not expired. Invalidation adds to an epoch, so it needs no list of dependent values, and a value whose composition began
// before an invalidation is stale from the start.
//
// A process keeps values in memory and then reads only their epochs from the store, so no process serves a value after its
// invalidation. With [document.Prefetch] a call reads all its epochs in one round trip.
//
// Of several callers that miss, one composes: in a process the first, among processes the one that creates a mark. The others
// wait for it. If a process dies while it composes, its mark remains for five seconds; a caller waits for it at most half of its
// remaining time. If composing fails temporarily, the last value is served (stale-if-error), up to a limit that each cache sets.
//
// While the store is unavailable, values that depend on epochs are composed for each call, because it is unknown whether a cached
// one is valid; only concurrent callers in a process share one. A value without epochs is valid for its time: the process composes it once and keeps it.
// The memory of a process is bounded by simplelru, which has no goroutine, and counts the bytes of the values' JSON.
package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/forward"
)

// A State says how a value was obtained. It is the value of X-Cache.
type State string

// The states.
const (
	Hit    State = "HIT"    // cached and valid
	Miss   State = "MISS"   // composed for this caller, or for another one at the same time
	Stale  State = "STALE"  // cached and invalid, but composing failed
	Bypass State = "BYPASS" // composed without a lookup, because the store is unavailable
)

// Worst returns the state of an answer that consists of parts with these states: BYPASS before STALE before MISS before HIT.
func Worst(parts ...State) State {
	for _, s := range []State{Bypass, Stale, Miss} {
		if slices.Contains(parts, s) {
			return s
		}
	}
	return Hit
}

// A Policy says how long a value is served.
type Policy struct {
	Fresh time.Duration // how long it is valid
	Stale time.Duration // how long after that, or after an invalidation, it is served if composing fails
}

// A Cache holds the values of one kind. A name always has the same type and policy.
type Cache[T any] struct {
	env     env.Env
	name    string
	policy  Policy
	entries document.Collection[entry[T]]
	flights *singleflight.Group // the compositions that run in this process
	memory  Memory
}

// An entry is a stored value.
type entry[T any] struct {
	Epochs []int64   `json:"epochs,omitzero"`
	ReadAt time.Time `json:"readAt"` // when the epochs were read; composing began after that
	Value  T         `json:"value"`
}

// Open names a cache and the collection of its values. It does not connect.
func Open[T any](e env.Env, name string, p Policy) *Cache[T] {
	flights, _ := env.Once(e, "cache."+name, func() (*singleflight.Group, error) { return &singleflight.Group{}, nil })
	return &Cache[T]{
		env:     e,
		name:    name,
		policy:  p,
		entries: document.Open[entry[T]](e, name),
		flights: flights,
		memory:  memoryOf(e),
	}
}

// Fetch returns the key's value, cached or composed. A key must always depend on the same epochs. The value may be shared with
// other callers: do not change anything it points to. An error is the error of compose.
func (c *Cache[T]) Fetch(ctx context.Context, key document.Key, depends []Epoch, compose func(context.Context) (T, error)) (T, State, error) {
	d, state, err := c.FetchDated(ctx, key, depends, compose)
	return d.Value, state, err
}

// A Dated value is a value and the time at which its composition began.
type Dated[T any] struct {
	Value T
	At    time.Time
}

// FetchDated is Fetch, and returns the age of the value too.
func (c *Cache[T]) FetchDated(ctx context.Context, key document.Key, depends []Epoch, compose func(context.Context) (T, error)) (d Dated[T], _ State, err error) {
	if _, ok := forward.Of(ctx); ok { // the value may depend on the header
		d.At = c.env.Now()
		d.Value, err = compose(ctx)
		return d, Bypass, err
	}
	r := &request[T]{Cache: c, key: key, depends: depends, compose: compose}
	for get := r.getPrefetched; ; get = r.get {
		found, err := get(ctx)
		if errors.Is(err, document.ErrNoStore) { // a configuration error, not an outage
			return d, Bypass, err
		}
		if found.valid {
			return Dated[T]{found.last.Value, found.last.ReadAt}, Hit, nil
		}
		lead := func() outcome[T] { return r.refill(ctx, found) }
		if err != nil {
			lead = func() outcome[T] { return r.bypass(ctx) }
		}
		if out, usable := share(ctx, c.flights, r.flight(found, err), lead); usable {
			return Dated[T]{out.Value, out.ReadAt}, out.state, out.err
		}
		// The composing caller has left, and its result cannot be used.
	}
}

// Put stores a value that its caller has fetched itself at that time, for a key that depends on no epoch.
func (c *Cache[T]) Put(ctx context.Context, key document.Key, value T, at time.Time) {
	if _, ok := forward.Of(ctx); !ok {
		c.store(ctx, key, entry[T]{ReadAt: at, Value: value})
	}
}

// Remember is Put in the memory of this process only, for small values that another process may compose again.
func (c *Cache[T]) Remember(ctx context.Context, key document.Key, value T, at time.Time) {
	if _, ok := forward.Of(ctx); !ok {
		c.memory.Put(c.place(key), &entry[T]{ReadAt: at, Value: value})
	}
}

// Remembered returns the value that Remember has put, if it has not expired.
func (c *Cache[T]) Remembered(ctx context.Context, key document.Key) (value T, ok bool) {
	e := c.remembered(key)
	if _, forwarded := forward.Of(ctx); forwarded || e == nil {
		return value, false
	}
	return e.Value, true
}

// store puts an entry into the store and reports whether that succeeded. If not, the value is composed again.
func (c *Cache[T]) store(ctx context.Context, key document.Key, e entry[T]) bool {
	stored, err := c.entries.Put(ctx, key, e, e.ReadAt.UnixMicro(), c.bound(e.ReadAt))
	return stored && err == nil
}

// bound returns the time until which a value of that age may be served at all.
func (c *Cache[T]) bound(readAt time.Time) time.Time {
	return readAt.Add(c.policy.Fresh + c.policy.Stale)
}

// Names returns the documents that Fetch reads for that key and those epochs, for [document.Prefetch].
func (c *Cache[T]) Names(key document.Key, depends ...Epoch) []document.Name {
	if c.remembered(key) != nil {
		return namesOf(depends)
	}
	return append(namesOf(depends), c.entries.Name(key))
}

// remembered returns the value in this process's memory, or nil if there is none or it has expired.
func (c *Cache[T]) remembered(key document.Key) *entry[T] {
	value, _ := c.memory.Get(c.place(key))
	e, ok := value.(*entry[T])
	if !ok || !c.env.Now().Before(e.ReadAt.Add(c.policy.Fresh)) {
		return nil
	}
	return e
}

// place returns the key in the memory that all caches share.
func (c *Cache[T]) place(key document.Key) document.Key {
	return document.KeyOf(c.name, key.String())
}

// A request is one call of Fetch.
type request[T any] struct {
	*Cache[T]
	key     document.Key
	depends []Epoch
	compose func(context.Context) (T, error)
}

// A view is the state of the cache at one moment.
type view[T any] struct {
	at     time.Time
	epochs []int64
	last   *entry[T] // the last value; nil if there is none
	valid  bool      // whether last is valid
}

// A reader reads documents and returns the time of the read.
type reader func(context.Context, env.Env, ...document.Name) ([]*document.Record, time.Time, error)

// getPrefetched is like get, but may use prefetched documents, and the value in this process's memory.
func (r *request[T]) getPrefetched(ctx context.Context) (view[T], error) {
	if kept := r.remembered(r.key); kept != nil {
		if found, err := r.read(ctx, document.GetPrefetched, kept); err != nil || found.valid {
			return found, err
		}
	}
	return r.read(ctx, document.GetPrefetched, nil)
}

// get reads the current value and epochs in one round trip.
func (r *request[T]) get(ctx context.Context) (view[T], error) {
	return r.read(ctx, document.Read, nil)
}

// read reads the epochs, and the value too unless it is kept in memory. It keeps a valid value in memory.
func (r *request[T]) read(ctx context.Context, from reader, kept *entry[T]) (view[T], error) {
	names := namesOf(r.depends)
	if kept == nil {
		names = append(names, r.entries.Name(r.key))
	}
	records, at, err := from(ctx, r.env, names...)
	if err != nil {
		return view[T]{}, err
	}
	v := view[T]{at: at, last: kept, epochs: make([]int64, len(r.depends))}
	for i := range r.depends {
		if records[i] != nil { // an epoch without a document is zero
			v.epochs[i] = records[i].Number
		}
	}
	if kept == nil {
		if e, ok := r.entries.Read(r.key, records[len(r.depends)]); ok {
			v.last = &e
		}
	}
	v.valid = v.last != nil && slices.Equal(v.last.Epochs, v.epochs) && at.Before(v.last.ReadAt.Add(r.policy.Fresh))
	if v.valid && kept == nil {
		r.memory.Put(r.place(r.key), v.last)
	}
	return v, nil
}

// flight names a running composition. The name includes the epochs, so that a caller never joins a composition that began before
// an invalidation it has seen.
func (r *request[T]) flight(found view[T], outage error) string {
	if outage != nil && len(r.depends) > 0 {
		return r.key.String()
	}
	return fmt.Sprint(r.key, " ", found.epochs)
}

// bypass composes while the store is unavailable. It keeps no value with epochs, because its validity would be unknown.
func (r *request[T]) bypass(ctx context.Context) outcome[T] {
	if e := r.remembered(r.key); e != nil && len(r.depends) == 0 { // another call has just composed it
		return outcome[T]{entry: *e, state: Hit}
	}
	e := entry[T]{ReadAt: r.env.Now()}
	var err error
	if e.Value, err = r.compose(ctx); err == nil {
		r.remember(e)
	}
	return outcome[T]{entry: e, state: Bypass, err: err}
}

// remember keeps a value that was just composed in memory, if it depends on no epoch: then the store has nothing to check.
func (r *request[T]) remember(e entry[T]) {
	if len(r.depends) == 0 {
		r.memory.Put(r.place(r.key), &e)
	}
}

// refill composes the value, unless another process is composing it.
func (r *request[T]) refill(ctx context.Context, found view[T]) outcome[T] {
	found, release := r.claim(ctx, found)
	if found.valid {
		return outcome[T]{entry: *found.last, state: Hit}
	}
	value, err := r.compose(ctx)
	if err != nil {
		defer release()
		return r.fallBack(ctx, found, err)
	}
	// Its age and version count from the read of the epochs, not from now: changes since then are not in it.
	e := entry[T]{Epochs: found.epochs, ReadAt: found.at, Value: value}
	if !r.store(ctx, r.key, e) {
		release()
	}
	r.remember(e)
	return outcome[T]{entry: e, state: Miss}
}

// fallBack serves the last value if composing failed temporarily. After a permanent error it deletes the last value, so that it
// is not served again.
func (r *request[T]) fallBack(ctx context.Context, found view[T], err error) outcome[T] {
	switch f := fault.From(err); {
	case found.last == nil:
	case f.Kind.Status() < 500 && !f.Retriable():
		_ = r.entries.Delete(ctx, r.key)
	case r.env.Now().Before(r.bound(found.last.ReadAt)):
		return outcome[T]{entry: *found.last, state: Stale}
	}
	return outcome[T]{state: Miss, err: err}
}
