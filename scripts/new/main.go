// Command new makes the skeleton of a function, which builds and whose tests pass.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/scripts/new/skeleton"
)

func main() {
	if version.Printed(os.Stdout, "new", os.Args[1:]) {
		return
	}
	w, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := run(w, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (skeleton.Wish, error) {
	set := flag.NewFlagSet("new", flag.ContinueOnError)
	set.SetOutput(out)
	subject := set.String("event", "", "make an event function that consumes this `SUBJECT`; its schema must be in schemas/events")
	every := set.String("every", "", "make a scheduled function with this `INTERVAL`, like 5m, or schedule, like \"*/5 * * * *\"")
	set.Usage = func() {
		fmt.Fprint(out, `usage: go run ./scripts/new [flags] SERVICE/NAME

Makes the skeleton of a function: its folder with code and test, its line in catalogue.go, and its OpenAPI operation or its place
among the consumers of the event. Without a flag it is an HTTP function with the route POST …/NAME. It overwrites no function.
Then it runs scripts/catalogue, which takes up to a minute the first time.

examples: go run ./scripts/new reservation/expect
          go run ./scripts/new -event melmastoon.tenant.suspended.v1 reservation/tenantsuspended
          go run ./scripts/new -every 5m reservation/remindguests

It reads no variables of the environment. Run it in the root of the tree. --version prints the versions of the contracts and the tree.
Flags:
`)
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return skeleton.Wish{}, err
	}
	if set.NArg() != 1 {
		set.Usage()
		return skeleton.Wish{}, errors.New("give one name, after the flags")
	}
	return skeleton.Parse(set.Arg(0), *subject, *every)
}

// run makes the skeleton and generates what derives from the catalogue, with progress.
func run(w skeleton.Wish, out io.Writer) error {
	written, err := skeleton.Make(".", w)
	if err != nil {
		return err
	}
	for _, path := range written {
		fmt.Fprintln(out, "wrote", path)
	}
	fmt.Fprintln(out, "generating the configuration and the documents: go run ./scripts/catalogue")
	generate := exec.Command("go", "run", "./scripts/catalogue")
	generate.Stdout, generate.Stderr = out, os.Stderr
	if err := generate.Run(); err != nil {
		return fmt.Errorf("the skeleton is complete, but scripts/catalogue failed; run it again when its complaint is mended: %w", err)
	}
	fmt.Fprintf(out, `
next: go test ./functions/%[1]s/%[2]s
      write the use case in functions/%[1]s/%[2]s/%[2]s.go, as CONTRIBUTING.md shows
      go test ./test/architecture ./test/contracts
`, w.Service, w.Name)
	switch {
	case w.Subject != "":
		fmt.Fprintln(out, "      go run ./scripts/schemadiff --acknowledge   # the event has another consumer")
	case w.Schedule == "":
		fmt.Fprintln(out, "      WRITE_CLIENTS=1 go test ./test/clients -run generated   # the route is in the TypeScript client")
	}
	return nil
}
