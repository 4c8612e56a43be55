// Command replay runs the job replay for a local cloud, whose dead letters are in PostgreSQL (shared/local/bus). For a
// local cloud on Google's emulators use jobs/replay/main, as in production.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

func main() {
	e := env.System()
	b := bus.Open(e, postgres.Open(e, "bus"))
	e = topic.PullerKey.With(topic.PublisherKey.With(e, b), b)
	os.Exit(command.Run(context.Background(), replay.Job, e, os.Args[1:], os.Stderr))
}
