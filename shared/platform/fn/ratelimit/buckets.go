package ratelimit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxBuckets is the capacity of a generation of buckets. Each kind of limit has two generations.
const maxBuckets = 10_000

// buckets holds one token bucket per caller, in two generations. A caller is forgotten if a whole generation of others was seen
// since its last call. Its next call gets a full bucket; its own would be nearly full by then.
type buckets[K comparable] struct {
	policy *policy

	mu         sync.Mutex
	young, old map[K]*rate.Limiter
}

// newBuckets returns nil, which does not limit, if the rate is not set.
func newBuckets[K comparable](name string, r Rate) *buckets[K] {
	if r.off || r == (Rate{}) {
		return nil
	}
	return &buckets[K]{policy: newPolicy(name, r), young: map[K]*rate.Limiter{}}
}

// take takes one token out of a caller's bucket, if there is one.
func (b *buckets[K]) take(who K, now time.Time) Result {
	if b == nil {
		return Result{}
	}
	bucket := b.of(who)
	taken := bucket.AllowN(now, 1)
	s := Result{policy: b.policy, left: bucket.TokensAt(now), taken: bucket, at: now}
	if !taken {
		s.taken = nil
		s.again = max(1, time.Duration((1-s.left)/b.policy.rate.PerSecond*float64(time.Second)))
	}
	return s
}

// of returns a caller's bucket, or adds one. Only the young generation grows. If it is full, it becomes the old one, and the
// previous old one is dropped. A caller that is found in the old one moves to the young one.
func (b *buckets[K]) of(who K) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bucket, ok := b.young[who]; ok {
		return bucket
	}
	bucket, ok := b.old[who]
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(b.policy.rate.PerSecond), b.policy.rate.Burst)
	}
	if len(b.young) >= maxBuckets {
		b.old, b.young = b.young, make(map[K]*rate.Limiter, maxBuckets)
	}
	b.young[who] = bucket
	return bucket
}
