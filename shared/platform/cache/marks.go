package cache

import (
	"context"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
)

const (
	markLife = 5 * time.Second
	poll     = 25 * time.Millisecond // how often one who waits for another process looks whether it is done
)

// A mark is the word of a process that it composes a value.
type mark struct{}

func (r *request[T]) marks() document.Collection[mark] {
	return document.Open[mark](r.env, "single-flight")
}

// markKey has the generations in it: who composes on older ones does not compose for us.
func (r *request[T]) markKey(seen view[T]) document.Key {
	parts := []string{r.key.String()}
	for _, g := range seen.generations {
		parts = append(parts, strconv.FormatInt(g, 10))
	}
	return document.KeyOf(r.name, parts...)
}

// claim waits until this process may compose, or another has composed. It returns what is seen then, and what to call when
// the composition is over. One who has waited as long as is sensible no longer does.
func (r *request[T]) claim(ctx context.Context, seen view[T]) (view[T], func()) {
	waiting, cancel := context.WithTimeout(ctx, timeout(ctx))
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		release, free := r.mark(ctx, seen)
		if !free {
			select {
			case <-ticker.C:
			case <-waiting.Done():
				return seen, release
			}
		}
		// Also one who is free looks again: another may have been done between his look and his mark.
		again, err := r.look(ctx)
		if err != nil {
			return seen, release
		}
		if again.good || free && slices.Equal(again.generations, seen.generations) {
			return again, release
		}
		release()
		seen = again
	}
}

// mark reports whether this process is free to compose: no other does, or the marks are away and each composes for itself.
func (r *request[T]) mark(ctx context.Context, seen view[T]) (release func(), free bool) {
	key, until := r.markKey(seen), r.env.Now().Add(markLife)
	won, err := r.marks().Create(ctx, key, mark{}, until)
	if err != nil || !won {
		return func() {}, err != nil
	}
	return func() {
		if r.env.Now().Before(until) { // after that it may be another's
			_ = r.marks().Delete(context.WithoutCancel(ctx), key) // left behind, it ends by itself
		}
	}, true
}

// timeout is how long to wait for another process. What is left must be enough to compose after all.
func timeout(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(markLife, time.Until(deadline)/2)
	}
	return markLife
}
