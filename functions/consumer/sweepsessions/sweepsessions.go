// Package sweepsessions ends the visits of travellers who were not seen for a month.
package sweepsessions

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function ends the sessions whose time has run out. Nobody waits for it: whether one is over is decided whenever it is met.
var Function = fn.Scheduled(fn.Spec{
	Name:      "consumer-sweepsessions",
	Schedule:  "*/5 * * * *",
	Uses:      fn.Uses{fn.Postgres, fn.Documents},
	Publishes: fn.Subjects{consumer.SessionEndedV1},
	Timeout:   50 * time.Second,
}, New)

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	sessions, err := consumer.OpenSessions(e)
	if err != nil {
		return nil, err
	}
	return fn.Sweep(sessions.Due, func(ctx context.Context, due consumer.Due) error { return sessions.Expire(ctx, due.Session) }), nil
}
