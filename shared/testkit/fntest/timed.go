package fntest

import (
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// tick is the interval at which Timed measures stalls of the machine. A tick less than one interval late counts as in time.
const tick = 5 * time.Millisecond

// Timed calls f and returns its duration, without the time in which the machine stalled. It measures stalls with a ticker
// beside the call: on a busy machine its ticks are late too.
func Timed(f func()) (took, stalled time.Duration) {
	now := env.Of(nil).Now // the real clock
	end, lost := make(chan struct{}), make(chan time.Duration, 1)
	stop := sync.OnceFunc(func() { close(end) })
	defer stop() // f may call t.FailNow
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
