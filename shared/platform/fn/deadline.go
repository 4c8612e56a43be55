package fn

import (
	"context"
	"sync"
	"time"
)

// A deadline is the context of a call with a deadline on the real clock. It creates the timer lazily, on the first call of Done:
// an answer from memory is sent before anything waits, and a timer makes the runtime wake a thread.
type deadline struct {
	context.Context // the caller's
	at              time.Time

	mu    sync.Mutex
	armed context.Context // nil until the first Done
	stop  context.CancelFunc
	over  bool
}

func withDeadline(ctx context.Context, at time.Time) *deadline {
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(at) {
		at = earlier
	}
	return &deadline{Context: ctx, at: at}
}

// Deadline returns the deadline.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done starts the timer, if it does not run yet, and returns its channel.
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

// Err returns the reason why the call has ended, with or without a timer, or nil.
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

// Value returns the value from the caller's context. After Done, it asks the context with the timer, so that package context
// finds its own cancelCtx there and starts no goroutine.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	ctx := d.armed
	d.mu.Unlock()
	if ctx == nil {
		ctx = d.Context
	}
	return ctx.Value(key)
}

// end cancels the context after the call.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over = true; d.stop != nil {
		d.stop()
	}
}
