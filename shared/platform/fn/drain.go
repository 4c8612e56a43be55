package fn

import (
	"context"
	"net/http"
	"sync"
)

// A Drain counts the calls in flight, so that a process can finish them before it stops. It is for servers that are not ours:
// the functions framework exits without waiting for its requests. The zero value is ready to use.
type Drain struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when no call runs any more; nil unless Wait is waiting
}

// Count wraps h and counts its calls. Calls that begin during Wait are still served and waited for, because the load balancer
// may send a few last ones. A call ends when its answer was flushed: otherwise the server would send a short answer only after
// the handler has returned, when Wait no longer waits for it.
func (d *Drain) Count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.enter()
		defer d.leave()
		h.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush() // the caller may have left
	})
}

// Wait returns nil when no call is in flight, or the context's error.
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
