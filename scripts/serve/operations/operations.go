// Package operations gives the console of a local cloud the jobs with which operators act: outbox and replay. It is apart from the
// console because tests of these jobs start a local cloud.
package operations

import (
	"context"

	"melmastoon.ghasi.io/jobs/outbox"
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/scripts/serve/console"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Jobs returns the jobs.
func Jobs() console.Jobs {
	return console.Jobs{Outbox: outbox.Run, Replay: replay.Run, DeadLetters: deadLetters, Listeners: replay.Listeners}
}

func deadLetters(ctx context.Context, e env.Env) (all []console.DeadLetters, err error) {
	groups, err := replay.List(ctx, e)
	for _, g := range groups {
		all = append(all, console.DeadLetters(g))
	}
	return all, err
}
