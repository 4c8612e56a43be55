// Command catalogue generates files from the catalogue, the schemas and the faults: the configuration of the infrastructure, its model of
// costs and limits, the index of the events, their AsyncAPI document, and the list of error codes with a page for each.
//
//	go run ./scripts/catalogue
//	go run ./scripts/catalogue -model   # prints costs, budgets and what gives way first, and writes nothing
//
// The files are committed, so that reviews show changes of the deployment. A test fails if a file is out of date.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/schemas"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/scripts/catalogue/errordocs"
	"melmastoon.ghasi.io/scripts/catalogue/eventdocs"
)

func main() {
	if version.Printed(os.Stdout, "catalogue", os.Args[1:]) {
		return
	}
	switch err := run(os.Args[1:], os.DirFS("."), ".", os.Stderr); {
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

// run writes the files below root, unless the arguments are invalid or request help. It reads the faults from the Go files in source.
func run(args []string, source fs.FS, root string, out io.Writer) error {
	flags := flag.NewFlagSet("catalogue", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintf(out, `usage: go run ./scripts/catalogue [flags]

Writes %s, %s, %s, %s, %s and %s from catalogue.go, the faults and schemas, unless the functions overdraw a budget.

example: go run ./scripts/catalogue -model   # what the functions cost

It reads no variables of the environment. Run it in the root of the tree. Flags:
  -model
    	print the model of costs and limits, and write nothing
  -version
    	print the versions of the contracts and the tree
`,
			deployment.File, deployment.ModelFile, eventdocs.IndexFile, eventdocs.AsyncAPIFile, errordocs.File, errordocs.PagesFile)
	}
	model := flags.Bool("model", false, "")
	if err := flags.Parse(args); err != nil {
		return errors.Join(err, errUsage)
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return errUsage
	}
	d, err := deployment.Of(melmastoon.Functions, melmastoon.Jobs)
	if err != nil {
		return err
	}
	if *model {
		_, err := os.Stdout.Write(d.Model())
		return errors.Join(err, d.Overdrawn())
	}
	return write(d, source, root)
}

func write(d deployment.Deployment, source fs.FS, root string) error {
	if err := d.Overdrawn(); err != nil {
		return err
	}
	configuration, err := d.Text()
	if err != nil {
		return err
	}
	events, err := eventdocs.Read(eventschemas.Files)
	if err != nil {
		return err
	}
	asyncAPI, err := eventdocs.AsyncAPI(events, d, melmastoon.Functions)
	if err != nil {
		return err
	}
	codes, err := errordocs.Text(source, schemas.HTTP)
	if err != nil {
		return err
	}
	problems, err := errordocs.Pages(codes)
	if err != nil {
		return err
	}
	for path, text := range map[string][]byte{
		deployment.File:        configuration,
		deployment.ModelFile:   d.Model(),
		eventdocs.IndexFile:    eventdocs.Index(events),
		eventdocs.AsyncAPIFile: asyncAPI,
		errordocs.File:         codes,
		errordocs.PagesFile:    problems,
	} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(path)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
