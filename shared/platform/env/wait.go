package env

import (
	"context"
	"time"
)

// Wait returns nil after d, or the error of ctx if that ends first. It waits in real time: moving the clock does not shorten it.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Deadline returns the time d from now on the real clock, for deadlines of connections.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }
