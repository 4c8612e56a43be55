// Package command runs Cloud Run jobs as commands: signals, exit codes, and the closing of connections.
//
// A job is a package without effects on import, which the catalogue lists, and a program in its folder main, because Go
// cannot import a main package.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Job is one Cloud Run job as inert data: importing its package does nothing. Its main function passes it to Run.
type Job struct {
	Name string
	// Run does the work in bounded steps and stops between two steps when ctx ends. A job that was interrupted is run again. Run
	// parses args with its own flag set and returns Usage for wrong ones.
	Run func(ctx context.Context, e env.Env, args []string) error
}

// Exit codes of a job. A scheduler retries after a failure, but not after a usage error.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// closeTime bounds the closing of connections within the ten seconds between SIGTERM and SIGKILL.
const closeTime = 5 * time.Second

// Run runs a job as a command: SIGTERM and Ctrl-C cancel its context. It writes the error to errs, closes everything the job
// opened, and returns the exit code. With -version as the only argument it prints the versions instead.
func Run(ctx context.Context, j Job, e env.Env, args []string, errs io.Writer) int {
	if version.Printed(os.Stdout, j.Name, args) {
		return exitDone
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := errors.Join(j.Run(ctx, e, args), closeEnv(ctx, e))
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	fmt.Fprintf(errs, "%s: %v\n", j.Name, err)
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

func closeEnv(ctx context.Context, e env.Env) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	return e.Close(ctx)
}

// SetHelp sets what -help prints: the text, the exit codes of all jobs, and the flags. The text begins with "usage:" and has an
// example and the environment variables that the job reads.
func SetHelp(set *flag.FlagSet, text string) {
	set.Usage = func() {
		fmt.Fprint(set.Output(), strings.TrimLeft(text, "\n"), `
exit codes: 0 done, 1 failed (run it again), 2 wrong arguments. -version prints the versions of the contracts and the tree.
Flags:
`)
		set.PrintDefaults()
	}
}

// Parse parses the arguments of a job and returns the operands: the arguments that are not flags. Flags may follow an operand.
func Parse(set *flag.FlagSet, args []string) (operands []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, Usage(err)
		}
		if set.NArg() == 0 {
			return operands, nil
		}
		operands, args = append(operands, set.Arg(0)), set.Args()[1:]
	}
}

// Usage marks an error as a usage error: wrong flags, unknown names.
func Usage(err error) error {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usageError{err}
}

type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }
