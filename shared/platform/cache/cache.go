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
// While the store is unavailable, values that depend on epochs are composed for every caller, because it is unknown whether a
// cached one is valid. A value without epochs is valid for its time: the process composes it once and keeps it.
package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	flights *flights[T]
	memory  *memory
}

// Open names a cache and the collection of its values. It does not connect.
func Open[T any](e env.Env, name string, p Policy) *Cache[T] {
	shared, _ := env.Once(e, "cache."+name, func() (*flights[T], error) { return &flights[T]{}, nil })
	return &Cache[T]{
		env:     e,
		name:    name,
		policy:  p,
		entries: document.Open[entry[T]](e, name),
		flights: shared,
		memory:  openMemory(e),
	}
}

// Fetch returns the key's value, cached or composed. A key must always depend on the same epochs. The value may be shared with
// other callers: do not change anything it points to. An error is the error of compose.
func (c *Cache[T]) Fetch(ctx context.Context, key document.Key, depends []Epoch, compose func(context.Context) (T, error)) (T, State, error) {
	v, state, _, err := c.FetchMarked(ctx, key, depends, compose)
	return v, state, err
}

// FetchMarked is Fetch, and also returns the value's EntryID for use with Rendered. The EntryID is zero unless this call found
// the value cached.
func (c *Cache[T]) FetchMarked(ctx context.Context, key document.Key, depends []Epoch, compose func(context.Context) (T, error)) (T, State, EntryID, error) {
	if _, ok := forward.Of(ctx); ok { // the value may depend on the header
		v, err := compose(ctx)
		return v, Bypass, EntryID{}, err
	}
	r := &request[T]{Cache: c, key: key, depends: depends, compose: compose}
	for look := r.glance; ; look = r.look {
		seen, err := look(ctx)
		if errors.Is(err, document.ErrNoStore) { // a configuration error, not an outage
			var none T
			return none, Bypass, EntryID{}, err
		}
		if seen.good {
			return seen.last.Value, Hit, seen.mark, nil
		}
		lead := func() outcome[T] { return r.refill(ctx, seen) }
		if err != nil {
			lead = func() outcome[T] { return r.bypass(ctx) }
		}
		if out, told := c.flights.share(ctx, r.flight(seen, err), lead); told {
			return out.value, out.state, EntryID{}, out.err
		}
		// The composing caller has left, and its result cannot be used.
	}
}

// GetForms returns the value in this process's memory if it has not expired and its epochs are unchanged. It composes nothing,
// and reads only the epochs, from the [document.Prefetched] in the context if possible.
func (c *Cache[T]) GetForms(ctx context.Context, key document.Key, depends []Epoch) (value T, mark EntryID, ok bool) {
	r := &request[T]{Cache: c, key: key, depends: depends}
	m, ok := r.recall(key)
	if _, forwarded := forward.Of(ctx); !ok || forwarded {
		return value, mark, false
	}
	seen, err := r.remembered(ctx, m)
	if err != nil || !seen.good {
		return value, mark, false
	}
	return seen.last.Value, seen.mark, true
}

// Learn stores a value that its caller fetched itself because it did not know the key before. The fetch began at asked. Learn
// returns false and stores nothing if an epoch may have changed since: then the caller must Fetch. It returns true if the value
// is current but cannot be stored, because Fetch could not store it either.
func (c *Cache[T]) Learn(ctx context.Context, key document.Key, depends []Epoch, value T, asked time.Time) bool {
	if _, ok := forward.Of(ctx); ok {
		return true
	}
	counters := openCounters(c.env)
	records, _, err := document.GetPrefetched(ctx, c.env, standing(counters, depends)...)
	if err != nil {
		return true // a Fetch would not help: nothing can be stored
	}
	learnt := entry[T]{Looked: asked, Value: value}
	for _, r := range records {
		if !stood(r, asked) {
			return false
		}
		learnt.Generations = append(learnt.Generations, counters.Read(r))
	}
	_, _ = c.entries.Put(ctx, key, learnt, asked.UnixMicro(), asked.Add(c.policy.Fresh+c.policy.Stale))
	return true
}

// Names returns the documents that Fetch reads for that key and those epochs, for [document.Prefetch].
func (c *Cache[T]) Names(key document.Key, depends ...Epoch) []document.Name {
	var names []document.Name
	if _, ok := c.recall(key); !ok {
		names = append(names, c.entries.Name(key))
	}
	return append(names, standing(openCounters(c.env), depends)...)
}

// standing returns the documents of these epochs.
func standing(counters document.Counters, depends []Epoch) []document.Name {
	names := make([]document.Name, len(depends))
	for i, g := range depends {
		names[i] = counters.Name(g.key)
	}
	return names
}

// recall returns the value in this process's memory, if it has not expired.
func (c *Cache[T]) recall(key document.Key) (memorized, bool) {
	m, ok := c.memory.find(place{c.name, key})
	e, typed := m.value.(*entry[T])
	return m, ok && typed && c.env.Now().Before(e.Looked.Add(c.policy.Fresh))
}

// A request is one call of Fetch.
type request[T any] struct {
	*Cache[T]
	key     document.Key
	depends []Epoch
	compose func(context.Context) (T, error)
}

// A view holds the state of the store at one moment.
type view[T any] struct {
	at          time.Time
	generations []int64
	last        entry[T] // the last value
	found       bool     // whether last exists
	good        bool
	mark        EntryID // of a valid value
}

// A caller reads documents and returns the time of the read.
type caller func(context.Context, env.Env, ...document.Name) ([]*document.Record, time.Time, error)

// glance is a look that may use prefetched documents. For a value in this process's memory it reads only the epochs.
func (r *request[T]) glance(ctx context.Context) (view[T], error) {
	if m, ok := r.recall(r.key); ok {
		seen, err := r.remembered(ctx, m)
		if err != nil || seen.good {
			return seen, err
		}
	}
	return r.see(ctx, document.GetPrefetched)
}

// look reads the current value and epochs in one round trip.
func (r *request[T]) look(ctx context.Context) (view[T], error) { return r.see(ctx, document.Read) }

// remembered returns the view of a value in this process's memory.
func (r *request[T]) remembered(ctx context.Context, m memorized) (seen view[T], err error) {
	names, last := standing(openCounters(r.env), r.depends), m.value.(*entry[T])
	records, at := []*document.Record(nil), r.env.Now()
	if len(names) > 0 {
		if records, at, err = document.GetPrefetched(ctx, r.env, names...); err != nil {
			return seen, err
		}
	}
	return r.judge(at, records, *last, EntryID{m.serial}), nil
}

// see reads value and epochs, and keeps a valid value in memory.
func (r *request[T]) see(ctx context.Context, ask caller) (seen view[T], err error) {
	names := append([]document.Name{r.entries.Name(r.key)}, standing(openCounters(r.env), r.depends)...)
	records, at, err := ask(ctx, r.env, names...)
	if err != nil {
		return seen, err
	}
	last, found := r.entries.Read(r.key, records[0])
	seen = r.judge(at, records[1:], last, EntryID{})
	seen.found, seen.good = found, found && seen.good
	if seen.good {
		seen.mark = EntryID{r.memory.remember(place{r.name, r.key}, &last, last.size)}
	}
	return seen, nil
}

// judge returns the view of a value under the epochs that were read.
func (r *request[T]) judge(at time.Time, generations []*document.Record, last entry[T], mark EntryID) view[T] {
	seen, counters := view[T]{at: at, last: last, found: true, mark: mark}, openCounters(r.env)
	for _, record := range generations {
		seen.generations = append(seen.generations, counters.Read(record))
	}
	seen.good = slices.Equal(last.Generations, seen.generations) && at.Before(last.Looked.Add(r.policy.Fresh))
	return seen
}

// flight names a running composition. The name includes the epochs, so that a caller never joins a composition that began before
// an invalidation it has seen.
func (r *request[T]) flight(seen view[T], away error) string {
	if away != nil && len(r.depends) > 0 {
		return r.key.String()
	}
	return fmt.Sprint(r.key, " ", seen.generations)
}

// bypass composes while the store is unavailable. It keeps no value with epochs, because its validity would be unknown.
func (r *request[T]) bypass(ctx context.Context) outcome[T] {
	if m, ok := r.recall(r.key); ok && len(r.depends) == 0 { // another call has just composed it
		return outcome[T]{value: m.value.(*entry[T]).Value, state: Hit, err: nil}
	}
	at := r.env.Now()
	value, err := r.compose(ctx)
	if err == nil {
		r.retain(ctx, at, value)
	}
	return outcome[T]{value: value, state: Bypass, err: err}
}

// retain keeps a value that was just composed in memory, if it depends on no epoch: then the store has nothing to check.
func (r *request[T]) retain(ctx context.Context, composed time.Time, value T) {
	if len(r.depends) == 0 {
		r.Remember(ctx, r.key, composed, value)
	}
}

// Remember keeps a value without epochs in this process's memory, for GetForms. It does not write to the store. The value is
// fresh from the time it was composed.
func (c *Cache[T]) Remember(ctx context.Context, key document.Key, composed time.Time, value T) {
	content, err := document.Encode(value)
	if _, ok := forward.Of(ctx); ok || err != nil {
		return
	}
	c.memory.remember(place{c.name, key}, &entry[T]{Looked: composed, Value: value}, document.PlainSize(content))
}

// refill composes the value, unless another process is composing it.
func (r *request[T]) refill(ctx context.Context, seen view[T]) outcome[T] {
	seen, release := r.claim(ctx, seen)
	defer release()
	if seen.good {
		return outcome[T]{value: seen.last.Value, state: Hit, err: nil}
	}
	value, err := r.compose(ctx)
	if err != nil {
		return r.fallBack(ctx, seen, err)
	}
	// Its age and version count from the look, not from now: changes since then are not in it. A failed Put is ignored, because
	// the value was composed anyway.
	_, _ = r.entries.Put(ctx, r.key, entry[T]{Generations: seen.generations, Looked: seen.at, Value: value}, seen.at.UnixMicro(), r.bound(seen.at))
	r.retain(ctx, seen.at, value)
	return outcome[T]{value: value, state: Miss, err: nil}
}

// bound returns the time until which a value that was looked up at that moment may be served at all.
func (r *request[T]) bound(looked time.Time) time.Time {
	return looked.Add(r.policy.Fresh + r.policy.Stale)
}

// fallBack serves the last value if composing failed temporarily. After a permanent error it deletes the last value, so that it
// is not served again.
func (r *request[T]) fallBack(ctx context.Context, seen view[T], err error) outcome[T] {
	switch f := fault.From(err); {
	case !seen.found:
	case f.Kind.Status() < 500 && !f.Retriable():
		_ = r.entries.Delete(ctx, r.key)
	case r.env.Now().Before(r.bound(seen.last.Looked)):
		return outcome[T]{value: seen.last.Value, state: Stale, err: nil}
	}
	return outcome[T]{state: Miss, err: err}
}
