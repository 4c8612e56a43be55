// Command figures prints figures about the style of a tree: words in comments, the size of shared/, literals without keys, and the shape
// of its tests. It only parses the Go files, so it also measures older commits.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/scripts/figures/measure"
)

func main() {
	if version.Printed(os.Stdout, "figures", os.Args[1:]) {
		return
	}
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), `usage: go run ./scripts/figures [FOLDER]

Prints how the tree in FOLDER reads (the current folder by default). It reads no variables of the environment.
--version prints the versions of the contracts and the tree. Exit codes: 0, 1 if a file cannot be read or parsed, 2 for other arguments.

example, before and after:
  git worktree add /tmp/before b250b24
  go run ./scripts/figures /tmp/before
  go run ./scripts/figures
`)
	}
	flag.Parse()
	folder := "."
	switch flag.NArg() {
	case 0:
	case 1:
		folder = flag.Arg(0)
	default:
		flag.Usage()
		os.Exit(2)
	}
	f, err := measure.Tree(os.DirFS(folder))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	show(os.Stdout, f)
}

func show(w io.Writer, f measure.Figures) {
	fmt.Fprintf(w, "%d words of comments outside tests; per 1,000 words\n", f.Words)
	for _, word := range []string{"what", "who", "whoever", "nobody", "none", "if", "returns"} {
		fmt.Fprintf(w, "  %-8s %6.2f\n", word, f.PerThousand(word))
	}
	fmt.Fprintf(w, "%d lines in shared/ without local runs and test kits\n", f.Shared)
	fmt.Fprintf(w, "%d struct literals without keys, %d of them with six or more fields\n", f.Unkeyed, f.WideUnkeyed)
	fmt.Fprintf(w, "%d assertions, %d of them join three or more conditions\n", f.Assertions, f.Combined)
	fmt.Fprintf(w, "%d tables in tests, %d of them without t.Run per row\n", f.Tables, f.TablesWithoutRun)
	fmt.Fprintf(w, "%d tests, %d of them named by a sentence\n", f.Tests, f.Sentences)
}
