package fn

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Job is one Cloud Run job as inert data: importing its package does nothing. Its folder's main hands it to RunJob.
type Job struct {
	Name string
	// Run does the work in bounded steps and stops between two of them when ctx ends. What was cut off is run again.
	// It reads args with a flag set of its own, and answers wrong ones with Usage.
	Run func(ctx context.Context, e env.Env, args []string) error
}

// Exit codes of a job. A scheduler repeats what failed; it cannot mend what was called wrongly.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// closeTime is what closing connections may take of the ten seconds between SIGTERM and SIGKILL.
const closeTime = 5 * time.Second

// RunJob runs a job as a command: it lets SIGTERM and Ctrl-C end its context, says on errs why it failed, closes
// what it opened, and returns the exit code.
func RunJob(ctx context.Context, j Job, e env.Env, args []string, errs io.Writer) int {
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

// Usage marks an error as the caller's: wrong flags, unknown names.
func Usage(err error) error {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usageError{err}
}

type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }
