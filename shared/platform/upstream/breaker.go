package upstream

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	window       = 10 * time.Second // how long an outcome counts
	minCallers   = 5                // whose latest call failed, before the breaker opens
	minArguments = 3                // with which these calls failed
	maxOutcomes  = 1000             // maximum number of remembered outcomes
	probePause   = time.Second      // between rounds of probes
	maxProbes    = 3                // per round, each by another caller
)

// errOpen is the error of a call that an open breaker rejects.
var errOpen = errors.New("the circuit breaker is open")

// A breaker is the circuit breaker of one service. Each caller has one outcome, that of its latest call, so the frequency of its
// calls does not matter. The breaker opens if at least half of the callers failed, and these are several callers with several
// arguments: if a service fails for one argument or one caller only, the others can still call it. While the breaker is open, a
// few callers may probe each second, each once, so that a single caller cannot use up all probes. The first success closes the
// breaker.
type breaker struct {
	now func() time.Time // the real clock

	mu       sync.Mutex
	outcomes map[string]outcome // by caller
	probeAt  time.Time          // when the next round of probes begins; zero while closed
	probed   map[string]bool    // the callers of this round; nil until the first round has begun
}

// An outcome is the result of a caller's latest call.
type outcome struct {
	at       time.Time
	argument string
	failed   bool
}

func newBreaker(now func() time.Time) *breaker {
	return &breaker{now: now, outcomes: map[string]outcome{}}
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

// settle records how a call ended, and opens or closes the breaker.
func (b *breaker) settle(caller, argument string, err error) {
	failed := isFailure(err)
	if !failed && !answered(err) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch now := b.now(); {
	case b.probeAt.IsZero():
		b.remember(caller, outcome{at: now, argument: argument, failed: failed})
		if failed && b.tripped(now) {
			b.probeAt = now.Add(probePause)
		}
	case !failed:
		b.probeAt, b.probed = time.Time{}, nil
		clear(b.outcomes)
	}
}

// remember stores an outcome. If there are too many, it drops the expired ones, and then arbitrary ones: a sample of this size
// has the same failure rate.
func (b *breaker) remember(caller string, o outcome) {
	if _, known := b.outcomes[caller]; !known && len(b.outcomes) >= maxOutcomes {
		for c, old := range b.outcomes {
			if o.at.Sub(old.at) > window {
				delete(b.outcomes, c)
			}
		}
		for c := range b.outcomes {
			if len(b.outcomes) < maxOutcomes {
				break
			}
			delete(b.outcomes, c)
		}
	}
	b.outcomes[caller] = o
}

func (b *breaker) tripped(now time.Time) bool {
	callers, failed, arguments := 0, 0, map[string]bool{}
	for _, o := range b.outcomes {
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

// isFailure reports whether an error indicates that the service is failing. A rejected request does not, nor does a caller that
// left or ran out of time.
func isFailure(err error) bool {
	_, late := errors.AsType[*overtaken](err)
	_, rejected := errors.AsType[rejection](err)
	return err != nil && !answered(err) && !late && !rejected && !errors.Is(err, context.Canceled)
}
