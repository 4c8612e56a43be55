package cache

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// An outcome is the result of a composition.
type outcome[T any] struct {
	entry[T]
	state  State
	err    error
	shared bool // whether other callers may use it
}

// share calls compose, unless another call does so under the same name: then it waits for that outcome. It returns false if that
// outcome cannot be used: the other caller left or panicked, which may be why it failed.
//
// A composition runs with the context of the caller that began it, and that caller waits for it even after its deadline, because
// a stale value may still come. All others leave at their own deadline.
func share[T any](ctx context.Context, flights *singleflight.Group, name string, compose func() outcome[T]) (outcome[T], bool) {
	var own atomic.Bool
	result := flights.DoChan(name, func() (any, error) {
		own.Store(true)
		out, panicked := recovered(compose)
		out.shared = out.err == nil && out.state != Stale || ctx.Err() == nil && !panicked
		return out, nil
	})
	select {
	case r := <-result:
		out := r.Val.(outcome[T])
		return out, out.shared || own.Load()
	case <-ctx.Done():
	}
	if !own.Load() {
		return outcome[T]{err: ctx.Err()}, true
	}
	return (<-result).Val.(outcome[T]), true
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
