// Command main is the deployed job replay, on Pub/Sub. With PUBSUB_EMULATOR_HOST it uses the emulator.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

func main() {
	e := env.System()
	client := pubsub.Open(e)
	e = topic.PullerKey.With(topic.PublisherKey.With(e, client), client)
	os.Exit(command.Run(context.Background(), replay.Job, e, os.Args[1:], os.Stderr))
}
