package newcomer

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	runner "melmastoon.ghasi.io/jobs/command" // commands_test.go has a type command
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// printedBy returns what a job prints with one argument and without configuration.
func printedBy(t *testing.T, j runner.Job, argument string) string {
	t.Helper()
	r, w, err := os.Pipe()
	check.Must(t, err)
	stdout := os.Stdout
	os.Stdout = w
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(r) // a pipe of this process does not fail; a missing text fails the test below
		printed <- string(text)
	}()
	code := runner.Run(t.Context(), j, env.Of(nil), []string{argument}, io.Discard)
	os.Stdout = stdout
	check.Must(t, w.Close())
	check.Equal(t, code, 0, "exit code of %s %s", j.Name, argument)
	return <-printed
}

var variable = regexp.MustCompile("env:\"([A-Z_]+)[,\"]")

// TestHelp_jobs runs every job with -help and no configuration: it must print usage, examples, exit codes, and each variable that the
// job reads itself. It is not parallel, because it replaces the standard output.
func TestHelp_jobs(t *testing.T) {
	if len(melmastoon.Jobs) < 8 {
		t.Fatalf("found %d jobs, want at least 8", len(melmastoon.Jobs))
	}
	for _, j := range melmastoon.Jobs {
		t.Run(j.Name, func(t *testing.T) {
			help := printedBy(t, j, "-help")
			check.Contains(t, help, "usage: "+j.Name, "example", "environment: ", "exit codes: 0 ", "Flags:")
			var files []string
			for _, folder := range []string{"", "main"} {
				found := check.Got(filepath.Glob(filepath.Join(root, "jobs", j.Name, folder, "*.go"))).Must(t)
				files = append(files, found...)
			}
			for _, file := range files {
				source := check.Got(os.ReadFile(file)).Must(t)
				for _, v := range variable.FindAllStringSubmatch(string(source), -1) {
					if !strings.HasSuffix(file, "_test.go") && !strings.Contains(help, v[1]) {
						t.Errorf("%s reads %s, which -help does not name", filepath.Base(file), v[1])
					}
				}
			}
		})
	}
}
