// Command main is the deployed job outbox, with the Cloud SQL dialler and Pub/Sub.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/outbox"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/cloudsql"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

func main() {
	e := postgres.DialerKey.With(env.System(), cloudsql.Dial)
	e = topic.PublisherKey.With(e, pubsub.Open(e))
	os.Exit(command.Run(context.Background(), outbox.Job, e, os.Args[1:], os.Stderr))
}
