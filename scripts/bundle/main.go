// Command bundle builds the archives from which functions and jobs are deployed.
//
//	go run ./scripts/bundle [--out=DIR] [--documents=firestore|redis|pg] NAME… | --all
//
// For each archive it prints the name, the path, the size in bytes and the number of packages of this module. It also
// writes bundles.json, which maps each name to its archive, for the infrastructure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/scripts/bundle/archive"
)

type options struct {
	out   string
	all   bool
	hot   archive.Hot
	names []string
}

func main() {
	if version.Printed(os.Stdout, "bundle", os.Args[1:]) {
		return
	}
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bundle(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("bundle", flag.ContinueOnError)
	set.StringVar(&o.out, "out", filepath.Join(".local", "bundles"), "the folder to put them in")
	set.BoolVar(&o.all, "all", false, "all functions and jobs")
	set.StringVar((*string)(&o.hot), "documents", string(archive.Firestore), "where hot documents are kept")
	set.Usage = func() {
		fmt.Fprint(set.Output(), `usage: go run ./scripts/bundle [flags] NAME... | --all

Builds the archives from which functions and jobs are deployed, and bundles.json, which maps names to archives.

example: go run ./scripts/bundle --out=/tmp/bundles reservation-hold jobs-prune

It reads no variables of the environment. --version prints the versions of the contracts and the tree. Flags:
`)
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.names = set.Args()
	switch {
	case !slices.Contains(archive.Hots, o.hot):
		return o, fmt.Errorf("bundle: --documents must be one of %v", archive.Hots)
	case o.all == (len(o.names) > 0):
		return o, errors.New("bundle: pass names of functions or jobs, or --all")
	}
	return o, nil
}

// bundle builds the requested archives. It checks all names against the catalogue before it builds the first.
func bundle(ctx context.Context, o options) error {
	wanted, err := choose(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	tree, err := archive.Read(ctx, ".")
	if err != nil {
		return err
	}
	made := map[string]string{}
	for _, w := range wanted {
		a, err := w(ctx, tree)
		if err != nil {
			return err
		}
		path, err := a.Save(o.out)
		if err != nil {
			return err
		}
		size, err := os.Stat(path)
		if err != nil {
			return err
		}
		made[a.Name] = filepath.Base(path)
		fmt.Println(a.Name, path, size.Size(), a.Packages)
	}
	text, err := json.Marshal(made, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, "bundles.json"), append(text, '\n'), 0o644)
}

// A making builds one archive.
type making func(context.Context, *archive.Tree) (archive.Archive, error)

func choose(o options) ([]making, error) {
	known := map[string]making{}
	var names []string
	for _, f := range melmastoon.Functions {
		names = append(names, f.Spec.Name)
		known[f.Spec.Name] = func(ctx context.Context, t *archive.Tree) (archive.Archive, error) {
			return t.Function(ctx, f.Spec, o.hot)
		}
	}
	for _, j := range melmastoon.Jobs {
		names = append(names, "jobs-"+j.Name)
		known["jobs-"+j.Name] = func(ctx context.Context, t *archive.Tree) (archive.Archive, error) { return t.Job(ctx, j) }
	}
	if !o.all {
		names = o.names
	}
	var chosen []making
	for _, name := range names {
		if known[name] == nil {
			return nil, fmt.Errorf("bundle: no function or job %q in the catalogue", name)
		}
		chosen = append(chosen, known[name])
	}
	return chosen, nil
}
