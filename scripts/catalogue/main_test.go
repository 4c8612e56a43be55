package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/scripts/catalogue/errordocs"
	"melmastoon.ghasi.io/scripts/catalogue/eventdocs"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		args    []string
		want    error
		written bool
	}{
		{name: "no_arguments", written: true},
		{name: "model", args: []string{"-model"}},
		{name: "help", args: []string{"-help"}, want: flag.ErrHelp},
		{name: "unknown_flag", args: []string{"-dry"}, want: errUsage},
		{name: "argument", args: []string{"reservation"}, want: errUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			files := []string{deployment.File, deployment.ModelFile, eventdocs.IndexFile, eventdocs.AsyncAPIFile, errordocs.File, errordocs.PagesFile}
			for _, file := range files {
				check.Must(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755))
			}
			var out bytes.Buffer
			check.Error(t, run(test.args, os.DirFS("../.."), root, &out), test.want, "run(%v)", test.args)
			for _, file := range files {
				if _, err := os.Stat(filepath.Join(root, file)); (err == nil) != test.written {
					t.Errorf("%s: %v, want written: %t", file, err, test.written)
				}
			}
			if got, want := filesBelow(t, root), generated(t); test.written && !slices.Equal(got, want) {
				t.Errorf("wrote %q, but .gitattributes lists %q", got, want)
			}
			if shown := strings.Contains(out.String(), "usage: go run ./scripts/catalogue"); shown == (test.written || test.want == nil) {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}

// generated returns the files that .gitattributes lists below this command, in order.
func generated(t *testing.T) (files []string) {
	t.Helper()
	text := check.Got(os.ReadFile("../../.gitattributes")).Must(t)
	_, list, _ := strings.Cut(string(text), "\n# go run ./scripts/catalogue\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		file, _ := strings.CutSuffix(strings.TrimSpace(line), " linguist-generated")
		files = append(files, file)
	}
	return files
}

// filesBelow returns the paths of all files below a folder, in order.
func filesBelow(t *testing.T, root string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	check.Must(t, err)
	return files
}
