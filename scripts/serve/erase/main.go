// Command erase runs the job erase for a local cloud, whose documents and dead letters are in PostgreSQL. For a local cloud on Google's
// emulators use jobs/erase/main, as in production.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/erase"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

func main() {
	e := env.System()
	e = document.StoreKey.With(e, documents.Open(e))
	b := bus.Open(e, postgres.Open(e, "bus"))
	e = topic.PullerKey.With(topic.PublisherKey.With(e, b), b)
	os.Exit(command.Run(context.Background(), erase.Job, e, os.Args[1:], os.Stderr))
}
