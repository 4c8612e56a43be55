package cache

import (
	"context"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

const (
	markLife = 5 * time.Second
	poll     = 25 * time.Millisecond // how often a caller that waits for another process checks for the result
)

// A mark announces that a process composes a value.
type mark struct{}

// markKey includes the epochs: a process that composes on older ones does not compose the same value.
func (r *request[T]) markKey(found view[T]) document.Key {
	return document.KeyOf(r.name, r.key.String(), fmt.Sprint(found.epochs))
}

// claim waits until this process may compose, or another one has composed. It returns the view at that time, and a function to
// call if there is no value to be stored. Beside a stored value the mark does no harm: it expires. After the maximum wait claim
// returns anyway.
func (r *request[T]) claim(ctx context.Context, found view[T]) (view[T], func()) {
	waiting, cancel := context.WithTimeout(ctx, timeout(ctx))
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		release, free := r.mark(ctx, found)
		if !free {
			select {
			case <-ticker.C:
			case <-waiting.Done():
				return found, release
			}
		}
		// A free caller reads again too: another process may have finished between its read and its mark.
		again, err := r.get(ctx)
		if err != nil {
			return found, release
		}
		if again.valid || free && slices.Equal(again.epochs, found.epochs) {
			return again, release
		}
		found = again
	}
}

// mark reports whether this process may compose: no other process does, or the marks are unavailable and each composes for
// itself.
func (r *request[T]) mark(ctx context.Context, found view[T]) (release func(), free bool) {
	marks, key, until := document.Open[mark](r.env, "single-flight"), r.markKey(found), r.env.Now().Add(markLife)
	won, err := marks.Create(ctx, key, mark{}, until)
	if err != nil || !won {
		return func() {}, err != nil
	}
	return func() {
		if r.env.Now().Before(until) { // later it may belong to another process
			_ = marks.Delete(context.WithoutCancel(ctx), key)
		}
	}, true
}

// timeout returns how long to wait for another process. The remaining time must suffice to compose.
func timeout(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(markLife, time.Until(deadline)/2)
	}
	return markLife
}
