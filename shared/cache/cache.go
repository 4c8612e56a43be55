// Package cache answers from a hot document and composes it anew at most once.
//
// A kept value carries the generations it was composed under: numbers that were read before composing began. It is good
// while they still stand where they stood and its time is not over. Invalidation adds one to a generation, so it needs no
// list of what depends on it, and a refill that began before it is stale at birth.
//
// Of those who miss, one composes: in this process the first, among processes the one whose mark is first. The others wait
// for it. A process that dies while it composes leaves its mark for five seconds; nobody waits longer for it than half of
// the time he has. While composing fails for reasons that may pass, the last value answers, up to a bound that each cache
// has. While the store is away, every caller is served as if there were no cache.
package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
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
}

// Open names a cache, and with it the collection of its values. It asks nobody yet.
func Open[T any](e env.Env, name string, p Policy) *Cache[T] {
	shared, _ := env.Once(e, "cache."+name, func() (*flights[T], error) { return newFlights[T](), nil })
	return &Cache[T]{e, name, p, document.Open[entry[T]](e, name), shared}
}

// Fetch returns the key's value, kept or composed. A key always depends on the same generations. The value may be shared
// with other callers: what it points to is not to be changed. An error is what composing failed with.
func (c *Cache[T]) Fetch(ctx context.Context, key document.Key, depends []Generation, compose func(context.Context) (T, error)) (T, State, error) {
	if event.OriginOf(ctx).Scenario != "" { // what is played for one caller is neither kept nor found
		v, err := compose(ctx)
		return v, Bypass, err
	}
	r := &request[T]{c, key, depends, compose}
	for {
		seen, err := r.look(ctx)
		if errors.Is(err, document.ErrNoStore) { // a mistake of whoever built the binary, not an outage
			var none T
			return none, Bypass, err
		}
		if seen.good {
			return seen.last.Value, Hit, nil
		}
		lead := func() outcome[T] { return r.refill(ctx, seen) }
		if err != nil {
			lead = func() outcome[T] { return r.bypass(ctx) }
		}
		if out, told := c.flights.share(ctx, r.flight(seen, err), lead); told {
			return out.value, out.state, out.err
		}
		// Whoever composed has left, and did not learn what we need to know.
	}
}

// A request is one call of Fetch.
type request[T any] struct {
	*Cache[T]
	key     document.Key
	depends []Generation
	compose func(context.Context) (T, error)
}

// A view is what the store showed at a moment.
type view[T any] struct {
	at          time.Time
	generations []int64
	last        entry[T] // the last value
	found       bool     // whether there is one
	good        bool
}

// look reads value and generations in one round trip.
func (r *request[T]) look(ctx context.Context) (seen view[T], err error) {
	store, err := document.StoreOf(r.env)
	if err != nil {
		return seen, err
	}
	counters := openCounters(r.env)
	names := []document.Name{r.entries.Name(r.key)}
	for _, g := range r.depends {
		names = append(names, counters.Name(g.key))
	}
	seen.at = r.env.Now()
	records, err := store.Get(ctx, seen.at, names...)
	if err != nil {
		return seen, err
	}
	for _, record := range records[1:] {
		seen.generations = append(seen.generations, counters.Read(record))
	}
	seen.last, seen.found = r.entries.Read(r.key, records[0])
	seen.good = seen.found && slices.Equal(seen.last.Generations, seen.generations) &&
		seen.at.Before(seen.last.Looked.Add(r.policy.Fresh))
	return seen, nil
}

// flight names what is composed at the moment. It has the generations in it, so that nobody joins one who began before
// an invalidation that he knows of.
func (r *request[T]) flight(seen view[T], away error) string {
	if away != nil {
		return r.key.String()
	}
	return fmt.Sprint(r.key, " ", seen.generations)
}

// bypass composes and keeps nothing: without the generations nobody could tell whether it is good.
func (r *request[T]) bypass(ctx context.Context) outcome[T] {
	value, err := r.compose(ctx)
	return outcome[T]{value, Bypass, err}
}

// refill composes what no other process composes meanwhile.
func (r *request[T]) refill(ctx context.Context, seen view[T]) outcome[T] {
	seen, release := r.claim(ctx, seen)
	defer release()
	if seen.good {
		return outcome[T]{seen.last.Value, Hit, nil}
	}
	value, err := r.compose(ctx)
	if err != nil {
		return r.fallBack(ctx, seen, err)
	}
	// Its age and its version count from the look, not from now: what came to be known since is not in it. If it
	// cannot be kept, it was composed all the same.
	_, _ = r.entries.Put(ctx, r.key, entry[T]{seen.generations, seen.at, value}, seen.at.UnixMicro(), r.bound(seen.at))
	return outcome[T]{value, Miss, nil}
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
		return outcome[T]{seen.last.Value, Stale, nil}
	}
	return outcome[T]{state: Miss, err: err}
}
