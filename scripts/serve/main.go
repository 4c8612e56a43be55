// Command serve runs the local cloud: a private PostgreSQL under .local/ and every function of the catalogue at its
// production route, with message bus, schedules and identity service, on one loopback address.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/scripts/serve/cloud"
)

// startTime bounds the time until the cloud is ready, including a recovery of the database.
const startTime = 2 * time.Minute

// hotelTime is the time that one more hotel may take.
const hotelTime = 100 * time.Millisecond

type options struct {
	port  int
	fresh bool
	clock time.Duration

	emulators bool
	hotels    int
	site      string
}

func main() {
	if version.Printed(os.Stdout, "run", os.Args[1:]) {
		return
	}
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2) // flag has printed the error
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	set.IntVar(&o.port, "port", 8080, "the port on 127.0.0.1")
	set.BoolVar(&o.fresh, "fresh", false, "delete the data of earlier runs")
	set.DurationVar(&o.clock, "clock", 0, "move the clock of Go and SQL by this duration from its current time, for instance +31m; --fresh resets it")
	set.Func("backend", "the backend of documents and events: embedded (the database, the default) or emulators (Google's Firestore and Pub/Sub)", o.choose)
	set.IntVar(&o.hotels, "hotels", 0, "minimum number of hotels; extra ones are generated deterministically")
	set.StringVar(&o.site, "site", "", "URL of hotels' sites in development, for instance http://localhost:5173/{slug}; payment pages return to /return/{draftId} below it")
	set.Usage = func() { usage(set) }
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
		fmt.Fprintln(set.Output(), err)
		usage(set)
	}
	return o, err
}

// usage prints the arguments, an example and the files of a run.
func usage(set *flag.FlagSet) {
	fmt.Fprint(set.Output(), `usage: ./scripts/run [flags]

Runs the whole system on 127.0.0.1 until Ctrl-C, with a console at /.

example: ./scripts/run --port 9000 --clock=+31m

It reads no variables of the environment and keeps its data in .local/. --version prints the versions of the contracts and the tree. Flags:
`)
	set.PrintDefaults()
}

// serve runs the local cloud until it is stopped. It stops its parts in the reverse order of their start.
func serve(ctx context.Context, o options) (err error) {
	began := time.Now()
	home, err := openFolder(".local", o.fresh)
	if err != nil {
		return err
	}
	defer home.close()
	listener, err := listen(o.port)
	if err != nil {
		return err
	}
	defer listener.Close()
	starting, cancel := context.WithTimeout(ctx, startTime+time.Duration(o.hotels)*hotelTime)
	defer cancel()
	db, err := openDatabase(starting, home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.stop()) }()
	offset, err := db.prepare(starting, o.clock, o.hotels)
	if err != nil {
		return err
	}
	parts, err := openBackend(starting, o.emulators)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, parts.stop()) }()
	local, err := start(starting, home, db, parts, listener, offset, o.site)
	if err != nil {
		return err
	}
	if err := home.writeEnv(local, db, parts); err != nil {
		return errors.Join(err, local.Close())
	}
	if err := guide(os.Stdout, home, local.URL(), offset, time.Since(began)); err != nil {
		return errors.Join(err, local.Close())
	}
	return untilDone(ctx, local, parts.gone())
}

func listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, plainly("Port %d is taken by another program: choose one with --port.", port)
	}
	return l, err
}

// untilDone waits for a signal or a failed part, then drains.
func untilDone(ctx context.Context, local *cloud.Cloud, gone <-chan struct{}) error {
	broken := make(chan error, 1)
	go func() { broken <- local.Wait() }()
	select {
	case <-ctx.Done():
		fmt.Println("\nStopping: what is in flight may finish.")
	case <-broken: // Close returns the error
	case <-gone:
		return errors.Join(plainly("One of Google's emulators has exited."), local.Close())
	}
	return local.Close()
}
