// Package furnish loads the demo hotels into the sandbox and adds the nights that become bookable each day.
package furnish

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Job loads the handwritten hotels, or as many as -hotels says. Existing data does not change. It connects as a login
// that is admitted to the sandbox.
var Job = command.Job{Name: "furnish", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	hotels, err := parse(args, out)
	if err != nil {
		return err
	}
	conn, err := postgres.Connect(ctx, e) // waits for the login; the stores open their own pools
	if err == nil {
		err = conn.Close(ctx)
	}
	if err != nil {
		return fmt.Errorf("furnish: %w", err)
	}
	if err := demo.Furnish(ctx, e, hotels); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d hotels have rooms on sale\n", hotels)
	return err
}

func parse(args []string, out io.Writer) (hotels int, err error) {
	named, err := demo.Named()
	if err != nil {
		return 0, err
	}
	set := flag.NewFlagSet("furnish", flag.ContinueOnError)
	set.SetOutput(out)
	set.IntVar(&hotels, "hotels", named, "number of hotels, always the same ones")
	command.SetHelp(set, `
usage: furnish [flags]

Creates the hotels of a demonstration, and the nights that have come into range since the last run.

example: furnish -hotels=100

environment: DATABASE_URL, or the variables of the database that terraform sets.
`)
	if err := set.Parse(args); err != nil {
		return 0, command.Usage(err)
	}
	if hotels < 1 || set.NArg() > 0 {
		return 0, command.Usage(fmt.Errorf("%v: -hotels must be at least 1, and there are no other arguments", args))
	}
	return hotels, nil
}
