package fn

import (
	"context"
	"net/http"
	"sync"
)

// A Drain counts the calls in flight, so that a process that was told to stop can let them finish. It is for where the
// server is not ours: the functions framework dies with its requests unless somebody waits for them. Its zero value is ready.
type Drain struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when nothing runs any more; nil unless somebody waits
}

// Count is h with its calls counted. Calls that begin while the drain is waiting are still served and waited for: the
// load balancer may send a last few. A call has ended when its answer is on its way: the server alone would send a short
// one only after the handler has returned, when nobody waits for it any more.
func (d *Drain) Count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.enter()
		defer d.leave()
		h.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush() // a caller who has left is no failure of ours
	})
}

// Wait returns when nothing is in flight, or with the context's error.
func (d *Drain) Wait(ctx context.Context) error {
	select {
	case <-d.whenIdle():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Drain) enter() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running++
}

func (d *Drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	if d.running == 0 && d.idle != nil {
		close(d.idle)
		d.idle = nil
	}
}

func (d *Drain) whenIdle() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.idle == nil {
		d.idle = make(chan struct{})
		if d.running == 0 {
			idle := d.idle
			d.idle = nil
			close(idle)
			return idle
		}
	}
	return d.idle
}
