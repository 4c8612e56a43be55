package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// An outcome is the result of a composition.
type outcome[T any] struct {
	value T
	at    time.Time // when the composition began
	state State
	err   error
}

// flights are the compositions that run in this process, at most one per name (single-flight).
type flights[T any] struct{ group singleflight.Group }

// A flight is the outcome of a composition, and whether other callers may use it.
type flight[T any] struct {
	outcome[T]
	shared bool
}

// share calls compose, unless another call does so under the same name: then it waits for that outcome. It returns false if that
// outcome cannot be used: the other caller left or panicked, which may be why it failed.
//
// A composition runs with the context of the caller that began it, and that caller waits for it even after its deadline, because
// a stale value may still come. All others leave at their own deadline.
func (f *flights[T]) share(ctx context.Context, name string, compose func() outcome[T]) (outcome[T], bool) {
	var own atomic.Bool
	result := f.group.DoChan(name, func() (any, error) {
		own.Store(true)
		out, panicked := recovered(compose)
		usable := out.err == nil && out.state != Stale
		return flight[T]{out, usable || ctx.Err() == nil && !panicked}, nil
	})
	select {
	case r := <-result:
		got := r.Val.(flight[T])
		return got.outcome, got.shared || own.Load()
	case <-ctx.Done():
	}
	if !own.Load() {
		return outcome[T]{err: ctx.Err()}, true
	}
	return (<-result).Val.(flight[T]).outcome, true
}

// recovered turns a panic into an error: in a goroutine of singleflight it would end the process.
func recovered[T any](compose func() outcome[T]) (out outcome[T], panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			out, panicked = outcome[T]{err: fmt.Errorf("cache: panic: %v\n%s", p, debug.Stack())}, true
		}
	}()
	return compose(), false
}
