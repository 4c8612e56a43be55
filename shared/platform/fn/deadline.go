package fn

import (
	"context"
	"sync"
	"time"
)

// A deadline is the context of a call that ends at a moment, by the real clock. The first who waits for the end sets the
// timer for it: an answer from memory is there before anybody does, and a timer makes the runtime wake a thread.
type deadline struct {
	context.Context // of whoever calls
	at              time.Time

	mu    sync.Mutex
	armed context.Context // nil while nobody waits
	stop  context.CancelFunc
	over  bool
}

func withDeadline(ctx context.Context, at time.Time) *deadline {
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(at) {
		at = earlier
	}
	return &deadline{Context: ctx, at: at}
}

// Deadline is the moment.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done sets the timer.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.armed == nil {
		d.armed, d.stop = context.WithDeadline(d.Context, d.at)
	}
	if d.over {
		d.stop()
	}
	return d.armed.Done()
}

// Err tells of the end with and without a timer.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.armed != nil:
		return d.armed.Err()
	case d.over:
		return context.Canceled
	case d.Context.Err() == nil && time.Until(d.at) <= 0:
		return context.DeadlineExceeded
	}
	return d.Context.Err()
}

// Value is what the caller's context carries. Package context, when it has asked for Done, finds here whom to tell it of.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	ctx := d.armed
	d.mu.Unlock()
	if ctx == nil {
		ctx = d.Context
	}
	return ctx.Value(key)
}

// end is for when the call is over.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over = true; d.stop != nil {
		d.stop()
	}
}
