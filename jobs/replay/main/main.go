// Command main is the job replay as it is deployed: on Pub/Sub, or on the bus of a local run.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

func main() {
	e := env.System()
	os.Exit(fn.RunJob(context.Background(), replay.Job, surrounded(e), os.Args[1:], os.Stderr))
}

// surrounded gives the job Pub/Sub, unless there is a database and no emulator: then the bus is there.
func surrounded(e env.Env) env.Env {
	var c struct {
		Database string `env:"DATABASE_URL"`
		Emulator string `env:"PUBSUB_EMULATOR_HOST"`
	}
	if err := e.Load(&c); err == nil && c.Database != "" && c.Emulator == "" { // what cannot be loaded is told by whoever needs it
		b := bus.Open(e, postgres.Open(e, "bus"))
		return env.Give[topic.Puller](env.Give[topic.Publisher](e, b), b)
	}
	b := pubsub.Open(e)
	return env.Give[topic.Puller](env.Give[topic.Publisher](e, b), b)
}
