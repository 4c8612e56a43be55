// Command schemadiff decides whether changed contracts may take the place of the older ones.
//
//	go run ./scripts/schemadiff                 the released versions and the working tree, as CI does
//	go run ./scripts/schemadiff OLD NEW         two files, or two folders with events and http in them
//	go run ./scripts/schemadiff --base main     a git revision and the working tree
//	go run ./scripts/schemadiff --acknowledge   confirms that changed descriptions have the same meaning
//	go run ./scripts/schemadiff --release       adds the last commit to the releases
//
// It reads older contracts from git. It prints one line per change: the contract, a JSON pointer, the rule and the verdict. The exit status
// is 0 if the changes are compatible, 1 if one is breaking or not acknowledged, and 2 if a document or a commit is not readable.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
	"melmastoon.ghasi.io/scripts/schemadiff/history"
)

func main() {
	if version.Printed(os.Stdout, "schemadiff", os.Args[1:]) {
		return
	}
	c := command{root: "schemas", today: time.Now(), version: version.API(), out: os.Stdout, complaints: os.Stderr}
	os.Exit(c.run(os.Args[1:]))
}

// A command is one invocation.
type command struct {
	root       string // the folder with the contracts
	today      time.Time
	version    string // of the contracts
	out        io.Writer
	complaints io.Writer

	base                 string
	acknowledge, release bool
}

// The exit statuses.
const (
	compatible = iota
	breaking
	unreadable
)

func (c *command) run(args []string) int {
	flags := flag.NewFlagSet("schemadiff", flag.ContinueOnError)
	flags.SetOutput(c.complaints)
	flags.StringVar(&c.base, "base", "", "compare the working tree with this git `revision`")
	flags.BoolVar(&c.acknowledge, "acknowledge", false, "confirm that changed descriptions have the same meaning")
	flags.BoolVar(&c.release, "release", false, "add the last commit to the releases")
	flags.Usage = func() {
		fmt.Fprint(c.complaints, `usage: go run ./scripts/schemadiff [flags] [OLD NEW]

Compares the events and HTTP APIs of the working tree with every released version, or two files or folders, and prints one line for
each change: a JSON pointer, a rule and a verdict.

examples: go run ./scripts/schemadiff --base main
          go run ./scripts/schemadiff --acknowledge

It reads no variables of the environment. Run it in the root of the tree. --version prints the versions of the contracts and the tree.
Exit codes: 0 compatible, 1 breaking or not acknowledged, 2 unreadable files or commits, or wrong arguments. Flags:
`)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return compatible
	} else if err != nil {
		return unreadable
	}
	verdict, err := c.compare(flags.Args())
	switch {
	case err != nil:
		fmt.Fprintln(c.complaints, err)
		return unreadable
	case verdict == evolution.Compatible:
		return compatible
	}
	return breaking
}

// compare prints the changes and returns the gravest verdict.
func (c *command) compare(args []string) (evolution.Verdict, error) {
	switch {
	case len(args) == 2 && c.base == "" && !c.release:
		found, err := c.two(args[0], args[1])
		return c.print(found, nil), err
	case len(args) > 0:
		return "", errors.New("want no argument, or two: OLD NEW")
	case c.base != "" && !c.release:
		found, err := c.since(c.base)
		return c.print(found, nil), err
	}
	return c.released()
}

// print prints the changes. With --acknowledge all changed descriptions count as confirmed.
func (c *command) print(found []evolution.Finding, acknowledged []string) evolution.Verdict {
	for _, f := range found {
		if f.Rule == evolution.ContractAdded {
			continue
		}
		fmt.Fprintln(c.out, f)
		if c.acknowledge {
			acknowledged = append(acknowledged, f.String())
		}
	}
	return history.Worst(found, acknowledged)
}

// two compares two files or two folders.
func (c *command) two(older, newer string) ([]evolution.Finding, error) {
	if info, err := os.Stat(older); err != nil {
		return nil, err
	} else if info.IsDir() {
		return c.folders(older, newer)
	}
	var pair [2]history.Contract
	for i, file := range []string{older, newer} {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		pair[i] = history.Contract{Name: filepath.Base(file), Text: text}
	}
	for _, contract := range pair {
		if contract.OpenAPI() {
			continue
		}
		if _, err := contract.Schema(); err != nil {
			return nil, err
		}
	}
	return history.Diff(pair[0], pair[1])
}

// folders compares two folders. A folder without contracts is an error, because its name is probably wrong.
func (c *command) folders(older, newer string) ([]evolution.Finding, error) {
	var sets [2]history.Set
	for i, name := range []string{older, newer} {
		set, err := history.Read(os.DirFS(name))
		if err != nil {
			return nil, err
		}
		if len(set) == 0 {
			return nil, fmt.Errorf("%s: no contracts in its folders events and http", name)
		}
		sets[i] = set
	}
	return history.Compare(sets[0], sets[1], c.today)
}

// since compares a git revision with the working tree.
func (c *command) since(revision string) ([]evolution.Finding, error) {
	was, err := history.At(c.root, revision)
	if err != nil {
		return nil, err
	}
	is, err := history.Read(os.DirFS(c.root))
	if err != nil {
		return nil, err
	}
	return history.Compare(was, is, c.today)
}

// released compares the released versions with the working tree, and then does what the flags ask for.
func (c *command) released() (evolution.Verdict, error) {
	found, acknowledged, err := history.Check(c.root, c.today)
	if err != nil {
		return "", err
	}
	verdict := c.print(found, acknowledged)
	if c.acknowledge {
		err = history.Acknowledge(c.root, found)
	}
	if err != nil || !c.release || verdict != evolution.Compatible {
		return verdict, err
	}
	line, err := history.NewRelease(c.root, c.version)
	if line != "" {
		fmt.Fprint(c.out, "released ", line)
	}
	return verdict, err
}
