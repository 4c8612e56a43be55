package outbox

import (
	"context"
	"sync"
	"time"
)

// The delay from which an event counts as late. An alert fires if more than 1% of the events are late. A deferred one may wait for the relay,
// which comes every minute.
const (
	late         = 30 * time.Second
	lateDeferred = 90 * time.Second
)

// A Report counts events that writers or a relay published, or failed to publish.
type Report struct {
	Published int
	Late      int           // published more than 30 s after the commit, deferred ones more than 90 s
	Slowest   time.Duration // longest delay
	Failed    int           // will be retried
	Parked    int           // will not be retried
	Stuck     Stuck         // found by a relay
}

// Stuck counts what needs an operator: events parked, or due or failing for more than five minutes, and the rows of a large outbox.
type Stuck struct {
	Evidence    int // events of the classes audit and regulated, or of an unknown class; an operator may not delete them
	Operational int // events of the class operational, which an operator may delete if they are parked
	Rows        int // of the outbox, as PostgreSQL estimates them; 0 below ten million
}

// A Tally sums up the reports of one context. Its zero value is ready, and any number of transactions may add to it concurrently.
type Tally struct {
	mu  sync.Mutex
	sum Report
}

// Report returns the sum so far.
func (t *Tally) Report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

type tallyKey struct{}

// Tallied returns a context that sums up its reports in t.
func Tallied(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// add adds to the context's tally, if there is one.
func (r Report) add(ctx context.Context) {
	t, ok := ctx.Value(tallyKey{}).(*Tally)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Published += r.Published
	t.sum.Late += r.Late
	t.sum.Slowest = max(t.sum.Slowest, r.Slowest)
	t.sum.Failed += r.Failed
	t.sum.Parked += r.Parked
	if r.Stuck != (Stuck{}) {
		t.sum.Stuck = r.Stuck
	}
}
