// Package erase erases the data of guests who asked for it, and writes a receipt for each erasure.
//
// A step deletes the data of one place, records the numbers, and can be repeated: an interrupted run is continued by the next one.
// A request whose step fails stays open, and the run fails.
package erase

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Job erases the guest sessions whose erasure was requested at least two hours ago: documents, SQL rows, unpublished and published
// telemetry, and the rows of the warehouse. It connects as a login that is admitted to the schema and acts as the maintenance
// role. WAREHOUSE_DATASET names the BigQuery dataset; without it the receipts say that no warehouse is configured. It exits with
// 1 if a request could not be completed.
var Job = command.Job{Name: "erase", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// options are the arguments of a run.
type options struct {
	dry  bool
	most int // requests per step
	out  io.Writer
}

// subjects are the kinds of persons' data that the job erases, by the name of their output. Each has requests of its own.
var subjects = map[string]func(context.Context, env.Env, options) error{
	"guest sessions": eraseSessions,
}

// run erases each kind, even if another one fails.
func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		if err := subjects[name](ctx, e, o); err != nil {
			failed = append(failed, fmt.Errorf("erase: %s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

func parse(args []string, out io.Writer) (options, error) {
	o := options{out: out}
	set := flag.NewFlagSet("erase", flag.ContinueOnError)
	set.SetOutput(out)
	set.BoolVar(&o.dry, "dry-run", false, "report the number of rows that would be deleted, and change nothing")
	set.IntVar(&o.most, "batch", 200, "requests per step")
	if err := set.Parse(args); err != nil {
		return o, command.Usage(err)
	}
	if o.most < 1 || set.NArg() > 0 {
		return o, command.Usage(fmt.Errorf("%v: -batch must be at least 1, and there are no other arguments", args))
	}
	return o, nil
}

func (o options) say(what string, args ...any) error {
	_, err := fmt.Fprintf(o.out, what+"\n", args...)
	return err
}
