// Package expireintents ends payments that nobody made in time.
package expireintents

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
)

// Function tells the world of intents whose time has run out. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:     "sandbox-expireintents",
	Schedule: "* * * * *",
	Uses:     fn.Uses{fn.Postgres},
	Emits:    fn.Emits{sandbox.TransactionFailedV1},
	Timeout:  50 * time.Second,
}, New)

// batch bounds one look, so that a backlog never holds much in memory.
const batch = 200

type expirer struct {
	intents sandbox.Intents
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	return (&expirer{sandbox.OpenIntents(e)}).expire, nil
}

// expire ends batches until one comes back short. Each intent is its own transaction inside its own tenant: a run that
// is cut off loses nothing and repeats nothing, and two runs share the work. One intent that cannot be ended keeps no other
// open, but ends the run after its batch. The database's clock decides what is due.
func (x *expirer) expire(ctx context.Context, _ time.Time) error {
	for {
		due, err := x.intents.Due(ctx, batch)
		if err != nil {
			return err
		}
		var failed []error
		for _, intent := range due {
			_, err := x.intents.Expire(ctx, intent)
			failed = append(failed, err)
		}
		if err := errors.Join(failed...); err != nil || len(due) < batch {
			return err
		}
	}
}
