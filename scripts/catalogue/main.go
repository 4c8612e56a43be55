// Command catalogue writes what is deployed, as the catalogue says it, for the infrastructure to read.
//
//	go run ./scripts/catalogue
//
// The file is committed, so that a change of what is deployed is seen where it is reviewed. A test fails when it is not what
// the code says.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
)

func main() {
	if err := write(filepath.FromSlash(deployment.File)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
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
