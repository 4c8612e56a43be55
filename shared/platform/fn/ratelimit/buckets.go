package ratelimit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxBuckets is how many callers a generation of buckets has. There are two of them, of each kind of limit.
const maxBuckets = 10_000

// buckets holds one token bucket for each caller, in two generations. A caller that is not seen while a whole generation of
// others is seen is forgotten. Its next call finds a full bucket, which its own would nearly have been by then.
type buckets[K comparable] struct {
	policy *policy

	mu         sync.Mutex
	young, old map[K]*rate.Limiter
}

// newBuckets returns nil, which limits nobody, where the rate is none.
func newBuckets[K comparable](name string, r Rate) *buckets[K] {
	if r.off || r == (Rate{}) {
		return nil
	}
	return &buckets[K]{policy: newPolicy(name, r), young: map[K]*rate.Limiter{}}
}

// take takes one request out of somebody's bucket, if there is one in it.
func (b *buckets[K]) take(who K, now time.Time) Standing {
	if b == nil {
		return Standing{}
	}
	bucket := b.of(who)
	taken := bucket.AllowN(now, 1)
	s := Standing{policy: b.policy, left: bucket.TokensAt(now), taken: bucket, at: now}
	if !taken {
		s.taken = nil
		s.again = max(1, time.Duration((1-s.left)/b.policy.rate.PerSecond*float64(time.Second)))
	}
	return s
}

// of finds a caller's bucket, or makes one. Only the young generation grows. When it is full it becomes the old one, and
// what was the old one is dropped; a caller that is found in the old one moves to the young one.
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
