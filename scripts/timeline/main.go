// Command timeline prints the timeline of one booking in the local cloud: calls, rows, published and consumed events in
// order, each with its cause. The argument is a reservation, its code, a draft, a handoff, a session, a quote, an
// intent or one of its events.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/jobs/timeline/booking"
)

// timeout is the timeout of the command.
const timeout = time.Minute

func main() {
	if version.Printed(os.Stdout, "timeline", os.Args[1:]) {
		return
	}
	local := flag.String("local", ".local", "the folder of the local cloud")
	most := flag.Int("most", 0, "show at most so many moments, the latest; 0 shows all")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), `usage: go run ./scripts/timeline [flags] rsv_… | GM-… | bdr_… | bhd_… | tnt_session_… | gms_… | qte_… | pyi_… | evt_…

Prints the timeline of one booking in the running local cloud. The page /-/booking of the console draws it.

example: go run ./scripts/timeline -most=50 GM-Y4KH2W

It reads no variables of the environment, but .local/env, the database and the log. --version prints the versions of the contracts and the tree. Flags:
`)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := printTimeline(ctx, os.Stdout, *local, flag.Arg(0), *most); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// printTimeline writes the timeline of name from the folder's database and log.
func printTimeline(ctx context.Context, w io.Writer, local, name string, limit int) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address, err := database(local)
	if err != nil {
		return fmt.Errorf("no data in %s: start the local cloud with ./scripts/run (%w)", local, err)
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return fmt.Errorf("the local cloud is not running: start it with ./scripts/run (%w)", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	log, closeLog, err := openLog(local)
	if err != nil {
		return err
	}
	defer closeLog()
	story, err := booking.Of(ctx, booking.Owner{Conn: conn}, booking.Whole(log), name)
	if err != nil {
		return err
	}
	return story.Write(w, limit)
}

// database returns the superuser's URL of the folder's database. Other roles see no bookings, because of row-level
// security.
func database(local string) (string, error) {
	env, err := os.ReadFile(filepath.Join(local, "env"))
	if err != nil {
		return "", err
	}
	password, err := os.ReadFile(filepath.Join(local, "postgres", "password"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(env)) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), "DATABASE_URL="); found {
			u, err := url.Parse(strings.Trim(value, "'"))
			if err != nil {
				return "", err
			}
			u.User = url.UserPassword("postgres", strings.TrimSpace(string(password)))
			return u.String(), nil
		}
	}
	return "", fmt.Errorf("no DATABASE_URL in %s", filepath.Join(local, "env"))
}

// openLog opens the log, its older part first.
func openLog(local string) (io.Reader, func(), error) {
	var parts []io.Reader
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}
	for _, name := range []string{"log.1", "log"} {
		f, err := os.Open(filepath.Join(local, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		parts, files = append(parts, f), append(files, f)
	}
	return io.MultiReader(parts...), closeAll, nil
}
