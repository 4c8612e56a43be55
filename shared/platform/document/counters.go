package document

import (
	"context"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Counters is a collection of whole numbers. An absent or expired counter is zero.
type Counters struct {
	env  env.Env
	name string
}

// OpenCounters names a collection of counters. It does not connect.
func OpenCounters(e env.Env, collection string) Counters { return Counters{e, collection} }

// Add adds to a counter and returns the sum. The counter lives at least until then: Add never shortens its life.
func (c Counters) Add(ctx context.Context, key Key, n int64, until time.Time) (int64, error) {
	store, err := StoreOf(c.env)
	if err != nil {
		return 0, err
	}
	return store.Add(ctx, c.env.Now(), c.Name(key), n, until.Truncate(time.Microsecond))
}

// Name returns the key's address, for callers that read documents of several types at once.
func (c Counters) Name(key Key) Name { return Name{c.name, key.id} }

// Read returns the number in a counter's record, or zero if there is no record.
func (c Counters) Read(r *Record) int64 {
	if r == nil {
		return 0
	}
	return r.Number
}
