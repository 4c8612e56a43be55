// Command main is the deployed job timeline, with the Cloud SQL dialler and Cloud Logging. With TIMELINE_LOG it reads a file instead.
package main

import (
	"context"
	"fmt"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/timeline"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/jobs/timeline/cloudlogging"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/cloudsql"
)

func main() {
	e, err := withLog(context.Background(), postgres.DialerKey.With(env.System(), cloudsql.Dial))
	if err != nil {
		fmt.Fprintf(os.Stderr, "timeline: %v\n", err)
		os.Exit(1)
	}
	os.Exit(command.Run(context.Background(), timeline.Job, e, os.Args[1:], os.Stderr))
}

// withLog adds the log of the project, or of a file.
func withLog(ctx context.Context, e env.Env) (env.Env, error) {
	var c struct {
		File    string `env:"TIMELINE_LOG"`
		Project string `env:"GOOGLE_CLOUD_PROJECT"`
	}
	if err := e.Load(&c); err != nil {
		return e, err
	}
	switch {
	case c.File != "":
		lines, err := os.Open(c.File) // read to the end by the run, and closed with the process
		return timeline.LogKey.With(e, booking.Whole(lines)), err
	case c.Project != "":
		log, err := cloudlogging.Open(ctx, c.Project)
		return timeline.LogKey.With(e, booking.Log(log)), err
	}
	return e, nil
}
