package document

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Counters is a collection of whole numbers. One that nobody has added to, or that has ended, is zero.
type Counters struct {
	env  env.Env
	name string
}

// OpenCounters names a collection of counters. It asks nobody yet.
func OpenCounters(e env.Env, collection string) Counters { return Counters{e, collection} }

// Add adds to a counter and returns the sum. The counter lasts until then at least: its end never moves nearer.
func (c Counters) Add(ctx context.Context, key Key, n int64, until time.Time) (int64, error) {
	store, err := StoreOf(c.env)
	if err != nil {
		return 0, err
	}
	return store.Add(ctx, c.env.Now(), c.Name(key), n, until.Truncate(time.Microsecond))
}

// Name is the key's address, for those who read documents of several types at once.
func (c Counters) Name(key Key) Name { return Name{c.name, key.id} }

// Read takes the number out of a counter's record, if there is one.
func (c Counters) Read(r *Record) int64 {
	if r == nil {
		return 0
	}
	return r.Number
}
