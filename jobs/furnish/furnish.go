// Package furnish brings a demonstration's hotels into the sandbox, and each day puts the nights on sale that have come nearer.
package furnish

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"melmastoon.ghasi.io/functions/sandbox/demo"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Job brings the hotels that were thought up, or as many as are wanted. What is there already stays as it is. It connects as a
// login that is admitted to the sandbox.
var Job = fn.Job{Name: "furnish", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	hotels, err := parse(args, out)
	if err != nil {
		return err
	}
	if err := postgres.Await(ctx, e); err != nil {
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
	set.IntVar(&hotels, "hotels", named, "the first so many, always the same ones")
	if err := set.Parse(args); err != nil {
		return 0, fn.Usage(err)
	}
	if hotels < 1 || set.NArg() > 0 {
		return 0, fn.Usage(fmt.Errorf("%v: -hotels is at least 1, and there is nothing else to say", args))
	}
	return hotels, nil
}
