// Command catalogue writes what is derived from the catalogue and the event schemas: the configuration of the infrastructure, the index
// of the events and their AsyncAPI document.
//
//	go run ./scripts/catalogue
//
// The files are committed, so that reviews show changes of the deployment. A test fails if a file is out of date.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/scripts/catalogue/eventdocs"
)

func main() {
	switch err := run(os.Args[1:], ".", os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// errUsage is returned for invalid arguments. The usage was printed before.
var errUsage = errors.New("usage")

// run writes the files below root, unless the arguments are invalid or request help.
func run(args []string, root string, out io.Writer) error {
	flags := flag.NewFlagSet("catalogue", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintf(out, "usage: go run ./scripts/catalogue\n\nWrites %s, %s and %s from catalogue.go and schemas/events. It takes no arguments.\n",
			deployment.File, eventdocs.IndexFile, eventdocs.AsyncAPIFile)
	}
	if err := flags.Parse(args); err != nil {
		return errors.Join(err, errUsage)
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return errUsage
	}
	return write(root)
}

func write(root string) error {
	d, err := deployment.Of(melmastoon.Functions, melmastoon.Jobs)
	if err != nil {
		return err
	}
	configuration, err := d.Text()
	if err != nil {
		return err
	}
	events, err := eventdocs.Read(schemas.Events)
	if err != nil {
		return err
	}
	asyncAPI, err := eventdocs.AsyncAPI(events, d)
	if err != nil {
		return err
	}
	for path, text := range map[string][]byte{
		deployment.File:        configuration,
		eventdocs.IndexFile:    eventdocs.Index(events),
		eventdocs.AsyncAPIFile: asyncAPI,
	} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(path)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
