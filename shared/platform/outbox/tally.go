package outbox

import (
	"context"
	"sync"
	"time"
)

// late is how long an event may wait until it is published. An alarm is raised where more than one in a hundred waits longer.
const late = 30 * time.Second

// Waits says of published events how long they had lain in the outbox.
type Waits struct {
	Published int
	Late      int           // of them, those that had waited for more than half a minute
	Slowest   time.Duration // what the one had waited that waited longest
	Stuck     Stuck         // events that the relay found in need of a person
}

func (w *Waits) add(waited time.Duration) {
	w.Published++
	if waited > late {
		w.Late++
	}
	w.Slowest = max(w.Slowest, waited)
}

// A Tally sums up what was published under one context, by the writers there or by a relay. Its zero value is ready, and any
// number of transactions may add to it at once.
type Tally struct {
	mu  sync.Mutex
	sum Waits
}

// Waits is the sum so far.
func (t *Tally) Waits() Waits {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

func (t *Tally) add(w Waits) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Published += w.Published
	t.sum.Late += w.Late
	t.sum.Slowest = max(t.sum.Slowest, w.Slowest)
	t.sum.Stuck = Stuck{Domain: max(t.sum.Stuck.Domain, w.Stuck.Domain), Telemetry: max(t.sum.Stuck.Telemetry, w.Stuck.Telemetry)}
}

type tallyKey struct{}

// Tallied returns a context under which what is published is summed up in t.
func Tallied(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// tell adds to the context's tally, if it has one.
func tell(ctx context.Context, w Waits) {
	if t, ok := ctx.Value(tallyKey{}).(*Tally); ok && w != (Waits{}) {
		t.add(w)
	}
}
