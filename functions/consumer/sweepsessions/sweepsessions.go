// Package sweepsessions ends the visits of travellers who were not seen for a month.
package sweepsessions

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
)

// Function ends the sessions whose time has run out. Nobody waits for it: whether one is over is decided whenever it is met.
var Function = fn.Scheduled(fn.Spec{
	Name:     "consumer-sweepsessions",
	Schedule: "*/5 * * * *",
	Uses:     fn.Uses{fn.Postgres, fn.Documents},
	Emits:    fn.Emits{consumer.SessionEndedV1},
	Timeout:  50 * time.Second,
}, New)

// batch bounds one look, so that a backlog never holds much in memory.
const batch = 200

type sweeper struct {
	sessions *consumer.Sessions
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	opened, err := consumer.OpenSessions(e)
	return (&sweeper{opened}).sweep, err
}

// sweep ends batches until one comes back short. Each session is ended by itself: a run that is cut off loses nothing and
// repeats nothing, and two runs share the work. One that cannot be ended keeps no other alive, but ends the run after its
// batch.
func (s *sweeper) sweep(ctx context.Context, _ time.Time) error {
	for {
		due, err := s.sessions.Due(ctx, batch)
		if err != nil {
			return err
		}
		var failed []error
		for _, one := range due {
			failed = append(failed, s.sessions.Expire(ctx, one))
		}
		if err := errors.Join(failed...); err != nil || len(due) < batch {
			return err
		}
	}
}
