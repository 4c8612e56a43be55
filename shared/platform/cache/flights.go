package cache

import (
	"context"
	"sync"
)

// An outcome is the result of a composition.
type outcome[T any] struct {
	value T
	state State
	err   error
}

// flights are the compositions that run in this process, each in the call that asked first (single-flight).
//
// golang.org/x/sync/singleflight does not fit. A waiter of its Do cannot leave when its own deadline passes, and gets the panic
// of the leader. Its DoChan composes in a separate goroutine: a panic there ends the process instead of one request, and the
// goroutine may outlive the request, after which Cloud Run grants no CPU. The leader must also wait for its own composition
// after its deadline, because that may still return a stale value, and waiters must not share the error of a leader whose caller
// has left.
type flights[T any] struct {
	mu    sync.Mutex
	under map[string]*flight[T]
}

type flight[T any] struct {
	over chan struct{} // closed when the other fields are set
	out  outcome[T]
	told bool // whether waiters may use the outcome
}

func newFlights[T any]() *flights[T] { return &flights[T]{under: map[string]*flight[T]{}} }

// share calls lead, unless another call does so under the same name: then it waits for that outcome. It returns false if that
// outcome cannot be used: the other caller left or panicked, which may be why it failed.
func (f *flights[T]) share(ctx context.Context, name string, lead func() outcome[T]) (outcome[T], bool) {
	own, first := f.join(name)
	if !first {
		select {
		case <-own.over:
			return own.out, own.told
		case <-ctx.Done():
			return outcome[T]{err: ctx.Err()}, true
		}
	}
	defer f.land(name, own)
	own.out = lead()
	own.told = ctx.Err() == nil || own.out.err == nil && own.out.state != Stale
	return own.out, true
}

func (f *flights[T]) join(name string) (joined *flight[T], first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other, ok := f.under[name]; ok {
		return other, false
	}
	own := &flight[T]{over: make(chan struct{})}
	f.under[name] = own
	return own, true
}

func (f *flights[T]) land(name string, own *flight[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, name)
	close(own.over)
}
