package outbox

import (
	"context"
	"sync"
	"time"
)

// late is the delay of publishing from which an event counts as late. An alert fires if more than 1% of the events are late.
const late = 30 * time.Second

// Waits summarizes the delays of published events in the outbox.
type Waits struct {
	Published int
	Late      int           // published more than 30 s after the commit
	Slowest   time.Duration // longest delay
	Stuck     Stuck         // stuck events that the relay found
}

func (w *Waits) add(waited time.Duration) {
	w.Published++
	if waited > late {
		w.Late++
	}
	w.Slowest = max(w.Slowest, waited)
}

// A Tally sums up the events published under one context, by writers or by a relay. Its zero value is ready, and any number of
// transactions may add to it concurrently.
type Tally struct {
	mu  sync.Mutex
	sum Waits
}

// Waits returns the sum so far.
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
	t.sum.Stuck = Stuck{Domain: max(t.sum.Stuck.Domain, w.Stuck.Domain), Telemetry: max(t.sum.Stuck.Telemetry, w.Stuck.Telemetry), Rows: max(t.sum.Stuck.Rows, w.Stuck.Rows)}
}

type tallyKey struct{}

// Tallied returns a context that sums up its published events in t.
func Tallied(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// tell adds to the context's tally, if there is one.
func tell(ctx context.Context, w Waits) {
	if t, ok := ctx.Value(tallyKey{}).(*Tally); ok && w != (Waits{}) {
		t.add(w)
	}
}
