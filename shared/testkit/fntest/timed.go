package fntest

import (
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// tick is how often Timed looks whether the machine gets to anything. A tick that is less than a tick late is in time.
const tick = 5 * time.Millisecond

// Timed calls f and returns what it took, without the time in which the machine got to nothing: on one that has other things
// to do a clock beside the call is late too, and says by how much. On a quiet machine nothing is taken off.
func Timed(f func()) (took, stalled time.Duration) {
	now := env.Of(nil).Now // nobody moves this one
	end, lost := make(chan struct{}), make(chan time.Duration, 1)
	stop := sync.OnceFunc(func() { close(end) })
	defer stop() // f may end its test
	go func() {
		var sum time.Duration
		ticks := time.NewTimer(tick)
		defer ticks.Stop()
		for began := now(); ; began = now() {
			ticks.Reset(tick)
			select {
			case <-end:
				lost <- sum
				return
			case <-ticks.C:
			}
			if late := now().Sub(began) - tick; late > tick {
				sum += late
			}
		}
	}()
	began := now()
	f()
	took = now().Sub(began)
	stop()
	stalled = <-lost
	return took - stalled, stalled
}
