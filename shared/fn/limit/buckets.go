package limit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// most is how many callers a generation of buckets has. There are two of them, of each kind of limit.
const most = 10_000

// Buckets are callers' buckets by who they are. Each fills at the rate and holds a burst. Whoever is not seen while so
// many others are is forgotten, which gives them a full bucket: who has been quiet so long nearly has one anyway.
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
	s := Standing{policy: b.policy, left: bucket.TokensAt(now)}
	if !taken {
		s.again = max(1, time.Duration((1-s.left)/b.policy.rate.PerSecond*float64(time.Second)))
	}
	return s
}

// of finds somebody's bucket. Of two generations only the young one grows. When it is full it becomes the old one, of
// which is kept who still comes.
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
	if len(b.young) >= most {
		b.old, b.young = b.young, make(map[K]*rate.Limiter, most)
	}
	b.young[who] = bucket
	return bucket
}
