package upstream

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	window       = 10 * time.Second // how long an outcome counts
	minCallers   = 5                // whose latest call failed, before the breaker opens
	minArguments = 3                // with which these calls failed
	maxOutcomes  = 1000             // remembered; more callers are not needed for a failure rate
	probePause   = time.Second      // between rounds of probes
	maxProbes    = 3                // per round, each by another caller
)

// errOpen is the error of a call that an open breaker rejects.
var errOpen = errors.New("the circuit breaker is open")

// A breaker is the circuit breaker of one service. Each caller has one outcome (decision 75), that of its latest call, so the
// frequency of its calls does not matter. The breaker opens if at least half of the callers failed, and these are several callers
// with several arguments: if a service fails for one argument or one caller only, the others can still call it. While the breaker
// is open, a few callers may probe each second, each once, so that a single caller cannot use up all probes. The first success
// closes the breaker.
type breaker struct {
	now func() time.Time // the real clock

	mu       sync.Mutex
	outcomes *simplelru.LRU[string, outcome] // by caller
	probeAt  time.Time                       // when the next round of probes begins; zero while closed
	probed   map[string]bool                 // the callers of this round; nil until the first round has begun
}

// An outcome is the result of a caller's latest call.
type outcome struct {
	at       time.Time
	argument string
	failed   bool
}

func newBreaker(now func() time.Time) *breaker {
	outcomes, _ := simplelru.NewLRU[string, outcome](maxOutcomes, nil) // only a size of 0 is an error
	return &breaker{now: now, outcomes: outcomes}
}

// admit returns errOpen if the caller must not call now.
func (b *breaker) admit(caller string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.probeAt.IsZero() {
		return nil
	}
	if now := b.now(); !now.Before(b.probeAt) {
		b.probeAt, b.probed = now.Add(probePause), map[string]bool{}
	}
	if b.probed == nil || b.probed[caller] || len(b.probed) >= maxProbes {
		return errOpen
	}
	b.probed[caller] = true
	return nil
}

// settle records that the service has answered a call or failed, and opens or closes the breaker.
func (b *breaker) settle(caller, argument string, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch now := b.now(); {
	case b.probeAt.IsZero():
		b.outcomes.Add(caller, outcome{at: now, argument: argument, failed: failed})
		if failed && b.tripped(now) {
			b.probeAt = now.Add(probePause)
		}
	case !failed:
		b.probeAt, b.probed = time.Time{}, nil
		b.outcomes.Purge()
	}
}

func (b *breaker) tripped(now time.Time) bool {
	callers, failed, arguments := 0, 0, map[string]bool{}
	for _, o := range b.outcomes.Values() {
		if now.Sub(o.at) > window {
			continue
		}
		callers++
		if o.failed {
			failed++
			arguments[o.argument] = true
		}
	}
	return failed >= minCallers && len(arguments) >= minArguments && 2*failed >= callers
}
