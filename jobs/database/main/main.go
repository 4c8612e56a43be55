// Command main is the deployed job database, with the Cloud SQL dialler.
package main

import (
	"context"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/database"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/cloudsql"
)

func main() {
	e := postgres.DialerKey.With(env.System(), cloudsql.Dial)
	os.Exit(command.Run(context.Background(), database.Job, e, os.Args[1:], os.Stderr))
}
