package ratelimit

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// maxBuckets is the number of callers that each kind of limit remembers.
const maxBuckets = 20_000

// buckets holds the token buckets of the callers that called last (LRU). A forgotten caller gets a full bucket with its next call;
// its own would be nearly full by then.
type buckets[K comparable] struct {
	name string
	rate Rate

	mu       sync.Mutex
	byCaller *simplelru.LRU[K, *rate.Limiter]
}

func newBuckets[K comparable](name string, r Rate) *buckets[K] {
	lru, _ := simplelru.NewLRU[K, *rate.Limiter](maxBuckets, nil) // only a size of 0 is an error
	return &buckets[K]{name: name, rate: r, byCaller: lru}
}

// take takes one token out of a caller's bucket.
func (b *buckets[K]) take(caller K, now time.Time) Result {
	if b.rate == (Rate{}) {
		return Result{}
	}
	bucket := b.of(caller)
	taken := bucket.AllowN(now, 1)
	r := Result{name: b.name, rate: b.rate, left: bucket.TokensAt(now), taken: bucket, at: now}
	if !taken {
		r.taken = nil
		r.again = max(1, time.Duration((1-r.left)/b.rate.PerSecond*float64(time.Second)))
	}
	return r
}

// of returns a caller's bucket, or adds one.
func (b *buckets[K]) of(caller K) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket, ok := b.byCaller.Get(caller)
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)
		b.byCaller.Add(caller, bucket)
	}
	return bucket
}

// A Result is the state of a caller's token bucket after a call was counted. The zero Result belongs to a call without a
// limit.
type Result struct {
	name  string        // of the limit
	rate  Rate          // of the limit
	left  float64       // calls that are allowed right now
	again time.Duration // time until the next call is allowed, if this one was rejected
	taken *rate.Limiter // where a token was taken; nil if no token was taken
	at    time.Time
}

// Undo returns the token of a call that had no effect.
func (r Result) Undo() {
	if r.taken != nil {
		r.taken.AllowN(r.at, -1) // returns one token
	}
}

// Refused returns nil if the call is allowed, or else ErrLimited with the time until the next call is.
func (r Result) Refused() error {
	if r.again == 0 {
		return nil
	}
	return ErrLimited.After(r.again).Because(errors.New("limit: " + r.name))
}

// SetHeaders sets the headers RateLimit-Policy and RateLimit, unless there is no limit among the results. The first has each
// limit's name, burst (q) and the seconds in which an empty bucket fills (w). The second has each limit's name, the calls that
// are left now (r) and the seconds until the bucket is full (t).
func SetHeaders(h http.Header, results ...Result) {
	var policies, remaining []string
	for _, r := range results {
		if r.name == "" {
			continue
		}
		burst, left := float64(r.rate.Burst), max(0, math.Floor(r.left))
		policies = append(policies, fmt.Sprintf("%q;q=%d;w=%.0f", r.name, r.rate.Burst, math.Ceil(burst/r.rate.PerSecond)))
		remaining = append(remaining, fmt.Sprintf("%q;r=%.0f;t=%.0f", r.name, left, math.Ceil((burst-r.left)/r.rate.PerSecond)))
	}
	if policies != nil {
		h.Set("RateLimit-Policy", strings.Join(policies, ", "))
		h.Set("RateLimit", strings.Join(remaining, ", "))
	}
}
