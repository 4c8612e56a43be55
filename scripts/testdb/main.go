// Command testdb runs one throw-away database server for all test programs of a run. It prints the server's
// URL on its first line and stops with the signal, or when whoever started it has gone.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"melmastoon.ghasi.io/shared/local/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve keeps the server until it is told to stop. Whoever started it holds the other end of standard input: when
// that closes, nobody is left to tell.
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
		return errors.New("testdb: the server has ended by itself")
	}
	return db.Stop()
}
