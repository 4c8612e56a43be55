// Package sweepsessions ends sessions that were not seen for 30 days.
package sweepsessions

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function ends expired sessions. It is not urgent, because every read of a session checks its expiry.
var Function = fn.Scheduled(fn.Spec{
	Name:      "consumer-sweepsessions",
	Schedule:  "*/5 * * * *",
	Uses:      fn.Uses{fn.Postgres, fn.Documents},
	Publishes: fn.Subjects{session.SessionEndedV1},
	Timeout:   50 * time.Second,
}, New)

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	sessions, err := session.OpenSessions(e)
	if err != nil {
		return nil, err
	}
	return fn.Sweep(sessions.Due, func(ctx context.Context, due session.Due) error { return sessions.Expire(ctx, due.Session) }), nil
}
