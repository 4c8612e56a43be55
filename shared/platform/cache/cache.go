// Package cache answers from a hot document and composes it anew at most once.
//
// A kept value carries the generations it was composed under: numbers that were read before composing began. It is good
// while they still stand where they stood and its time is not over. Invalidation adds to a generation, so it needs no
// list of what depends on it, and a refill that began before it is stale at birth.
//
// A process remembers what it has read, and then asks the store for the generations only: what was invalidated is not
// served by anybody from then on. Who looks ahead ([document.Prefetch]) asks once for all the generations of a call.
//
// Of those who miss, one composes: in this process the first, among processes the one whose mark is first. The others wait
// for it. A process that dies while it composes leaves its mark for five seconds; nobody waits longer for it than half of
// the time he has. While composing fails for reasons that may pass, the last value answers, up to a bound that each cache
// has.
//
// While the store is away, values that depend on generations are composed for every caller, because it is unknown whether a kept
// one still stands. A value that depends on none is good for its time: the process composes it once and remembers it.
package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A State tells how an answer was found. It is the value of X-Cache.
type State string

// The states.
const (
	Hit    State = "HIT"    // kept, and good
	Miss   State = "MISS"   // composed for this caller, or for another who asked at the same moment
	Stale  State = "STALE"  // kept and no longer good, but composing fails
	Bypass State = "BYPASS" // composed without looking, for the store is away
)

// Worst is the state of an answer made of parts that were found so: BYPASS before STALE before MISS before HIT.
func Worst(parts ...State) State {
	for _, s := range []State{Bypass, Stale, Miss} {
		if slices.Contains(parts, s) {
			return s
		}
	}
	return Hit
}

// A Policy says how long a value serves.
type Policy struct {
	Fresh time.Duration // as it is
	Stale time.Duration // after that, or once it was invalidated, while composing fails
}

// A Cache is the values of one kind. Of one name there is one type and one policy.
type Cache[T any] struct {
	env     env.Env
	name    string
	policy  Policy
	entries document.Collection[entry[T]]
	flights *flights[T]
	memory  *memory
}

// Open names a cache, and with it the collection of its values. It asks nobody yet.
func Open[T any](e env.Env, name string, p Policy) *Cache[T] {
	shared, _ := env.Once(e, "cache."+name, func() (*flights[T], error) { return newFlights[T](), nil })
	return &Cache[T]{
		env:     e,
		name:    name,
		policy:  p,
		entries: document.Open[entry[T]](e, name),
		flights: shared,
		memory:  openMemory(e),
	}
}

// Fetch returns the key's value, kept or composed. A key always depends on the same generations. The value may be shared
// with other callers: what it points to is not to be changed. An error is what composing failed with.
func (c *Cache[T]) Fetch(ctx context.Context, key document.Key, depends []Epoch, compose func(context.Context) (T, error)) (T, State, error) {
	v, state, _, err := c.FetchMarked(ctx, key, depends, compose)
	return v, state, err
}

// FetchMarked is Fetch, and returns the value's Mark for use with Forms. The Mark is zero unless this call has found the value
// kept.
func (c *Cache[T]) FetchMarked(ctx context.Context, key document.Key, depends []Epoch, compose func(context.Context) (T, error)) (T, State, EntryID, error) {
	if event.OriginOf(ctx).Scenario != "" { // what is played for one caller is neither kept nor found
		v, err := compose(ctx)
		return v, Bypass, EntryID{}, err
	}
	r := &request[T]{Cache: c, key: key, depends: depends, compose: compose}
	for look := r.glance; ; look = r.look {
		seen, err := look(ctx)
		if errors.Is(err, document.ErrNoStore) { // a mistake of whoever built the binary, not an outage
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
		// Whoever composed has left, and did not learn what we need to know.
	}
}

// GetForms returns the value that this process remembers, if its time is not over and its generations still stand. It composes
// nothing, and reads nothing but the generations, which a [document.Prefetched] in the context may have already.
func (c *Cache[T]) GetForms(ctx context.Context, key document.Key, depends []Epoch) (value T, mark EntryID, ok bool) {
	r := &request[T]{Cache: c, key: key, depends: depends}
	m, ok := r.recall(key)
	if !ok || event.OriginOf(ctx).Scenario != "" {
		return value, mark, false
	}
	seen, err := r.remembered(ctx, m)
	if err != nil || !seen.good {
		return value, mark, false
	}
	return seen.last.Value, seen.mark, true
}

// Learn keeps a value that its caller has fetched by itself, because its key was not known before. The fetch began at the time
// asked. Learn reports false and keeps nothing if a generation may have been invalidated since: then the caller is to Fetch.
// It reports true where the value is current but cannot be kept, since a Fetch could not keep it either.
func (c *Cache[T]) Learn(ctx context.Context, key document.Key, depends []Epoch, value T, asked time.Time) bool {
	if event.OriginOf(ctx).Scenario != "" {
		return true
	}
	counters := openCounters(c.env)
	records, _, err := document.GetPrefetched(ctx, c.env, standing(counters, depends)...)
	if err != nil {
		return true // to ask again would be no better: nothing can be kept
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

// Names are the documents that Fetch of that key and those generations reads, for [document.Prefetch].
func (c *Cache[T]) Names(key document.Key, depends ...Epoch) []document.Name {
	var names []document.Name
	if _, ok := c.recall(key); !ok {
		names = append(names, c.entries.Name(key))
	}
	return append(names, standing(openCounters(c.env), depends)...)
}

// standing are the documents that say whether values which depend on these generations still stand.
func standing(counters document.Counters, depends []Epoch) []document.Name {
	names := make([]document.Name, len(depends))
	for i, g := range depends {
		names[i] = counters.Name(g.key)
	}
	return names
}

// recall is the value that this process remembers, if its time is not over.
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

// A view is what the store showed at a moment.
type view[T any] struct {
	at          time.Time
	generations []int64
	last        entry[T] // the last value
	found       bool     // whether there is one
	good        bool
	mark        EntryID // of a value that is good
}

// An caller reads documents, and says when.
type caller func(context.Context, env.Env, ...document.Name) ([]*document.Record, time.Time, error)

// glance is a look that may have been had ahead. What this process remembers it asks only the generations about.
func (r *request[T]) glance(ctx context.Context) (view[T], error) {
	if m, ok := r.recall(r.key); ok {
		seen, err := r.remembered(ctx, m)
		if err != nil || seen.good {
			return seen, err
		}
	}
	return r.see(ctx, document.GetPrefetched)
}

// look reads value and generations as they are, in one round trip.
func (r *request[T]) look(ctx context.Context) (view[T], error) { return r.see(ctx, document.Read) }

// remembered is what is seen of a value that this process remembers.
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

// see reads value and generations, and remembers a value that is good.
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

// judge is the view of a value under the generations that were read.
func (r *request[T]) judge(at time.Time, generations []*document.Record, last entry[T], mark EntryID) view[T] {
	seen, counters := view[T]{at: at, last: last, found: true, mark: mark}, openCounters(r.env)
	for _, record := range generations {
		seen.generations = append(seen.generations, counters.Read(record))
	}
	seen.good = slices.Equal(last.Generations, seen.generations) && at.Before(last.Looked.Add(r.policy.Fresh))
	return seen
}

// flight names what is composed at the moment. It has the generations in it, so that nobody joins one who began before
// an invalidation that he knows of.
func (r *request[T]) flight(seen view[T], away error) string {
	if away != nil && len(r.depends) > 0 {
		return r.key.String()
	}
	return fmt.Sprint(r.key, " ", seen.generations)
}

// bypass composes while the store is away. With generations nothing is kept: it would be unknown whether it is good.
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

// retain remembers a value that was just composed, if it depends on no generation: the store has nothing to add to it.
func (r *request[T]) retain(ctx context.Context, composed time.Time, value T) {
	if len(r.depends) == 0 {
		r.Remember(ctx, r.key, composed, value)
	}
}

// Remember has this process remember a value that depends on no generation, for GetForms. The store does not get it. It is fresh
// from the time at which it was composed.
func (c *Cache[T]) Remember(ctx context.Context, key document.Key, composed time.Time, value T) {
	content, err := document.Encode(value)
	if err != nil || event.OriginOf(ctx).Scenario != "" {
		return
	}
	c.memory.remember(place{c.name, key}, &entry[T]{Looked: composed, Value: value}, document.PlainSize(content))
}

// refill composes what no other process composes meanwhile.
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
	// Its age and its version count from the look, not from now: what came to be known since is not in it. If it
	// cannot be kept, it was composed all the same.
	_, _ = r.entries.Put(ctx, r.key, entry[T]{Generations: seen.generations, Looked: seen.at, Value: value}, seen.at.UnixMicro(), r.bound(seen.at))
	r.retain(ctx, seen.at, value)
	return outcome[T]{value: value, state: Miss, err: nil}
}

// bound is when a value that was composed on a look at that moment stops answering at all.
func (r *request[T]) bound(looked time.Time) time.Time {
	return looked.Add(r.policy.Fresh + r.policy.Stale)
}

// fallBack answers with the last value while composing fails. Only what may pass is bridged: a refusal is an answer, and
// the last value must not come back after it.
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
