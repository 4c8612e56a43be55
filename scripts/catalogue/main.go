// Command catalogue writes the configuration of the infrastructure, which it derives from the catalogue.
//
//	go run ./scripts/catalogue
//
// The file is committed, so that reviews show changes of the deployment. A test fails if the file is out of date.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
)

func main() {
	switch err := run(os.Args[1:], filepath.FromSlash(deployment.File), os.Stderr); {
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

// run writes the file, unless the arguments are invalid or request help.
func run(args []string, path string, out io.Writer) error {
	flags := flag.NewFlagSet("catalogue", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprintf(out, "usage: go run ./scripts/catalogue\n\nWrites %s from catalogue.go. It takes no arguments.\n", deployment.File)
	}
	if err := flags.Parse(args); err != nil {
		return errors.Join(err, errUsage)
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return errUsage
	}
	return write(path)
}

func write(path string) error {
	d, err := deployment.Of(melmastoon.Functions, melmastoon.Jobs)
	if err != nil {
		return err
	}
	text, err := d.Text()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
