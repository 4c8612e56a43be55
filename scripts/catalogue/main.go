// Command catalogue writes what is deployed, as the catalogue says it, for the infrastructure to read.
//
//	go run ./scripts/catalogue
//
// The file is committed, so that a change of what is deployed is seen where it is reviewed. A test fails when it is not what
// the code says.
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

// errUsage is returned for arguments that the command does not take. The usage has been printed.
var errUsage = errors.New("usage")

// run writes the file unless the arguments ask for help or are wrong.
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
