// Command testdb runs one temporary database server for all test programs of a run. It prints the server's URL on its
// first line. It stops with a signal or when its parent process exits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/shared/local/cluster"
)

func main() {
	if version.Printed(os.Stdout, "testdb", os.Args[1:]) {
		return
	}
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), `usage: go run ./scripts/testdb

Runs a temporary database server until Ctrl-C or the end of its input, and prints its URL on the first line.

example: export PGTEST_URL=URL, with the printed URL, lets go test use it.

It takes no other argument than --version, which prints the versions of the contracts and the tree, and reads no variables of the
environment.
`)
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs the server until ctx is done or standard input is closed, which happens when the parent process exits.
func serve(ctx context.Context) error {
	db, err := cluster.Temporary(ctx)
	if err != nil {
		return err
	}
	fmt.Println(db.URL("postgres"))
	abandoned := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(abandoned)
	}()
	select {
	case <-ctx.Done():
	case <-abandoned:
	case <-db.Done():
		return errors.New("testdb: the server has exited")
	}
	return db.Stop()
}
