package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// faulty has one finding for each linter in its comments.
const faulty = `// Package faulty is wrong on purpose.
package faulty

import (
	"errors"
	"os"
)

// A State is one of two.
type State int

// The states.
const (
	Open State = iota
	Closed
)

// Name returns the name of an open state.
func Name(s State) string {
	switch s { // exhaustive
	case Open:
		return "open"
	}
	len := "closed" // revive
	return len
}

var errFailed = errors.New("failed")

// Set sets a variable.
func Set(run func() error, force bool) error {
	os.Setenv("A", "b") // errcheck
	err := run()
	if err == errFailed { // errorlint
		return nil
	}
	if force == true { // staticcheck
		return nil
	}
	return err
}

func left() {} // unused
`

const clean = `// Package clean has no finding.
package clean

// Name returns a name.
func Name() string { return "clean" }
`

// TestLint runs the linter as ./scripts/test does, on a module with faults and on one without.
func TestLint(t *testing.T) {
	t.Parallel()
	linter := check.Got(filepath.Abs(filepath.Join("..", "..", ".local", "bin", "golangci-lint"))).Must(t)
	if _, err := os.Stat(linter); err != nil {
		t.Skip("./scripts/test builds the linter")
	}
	for _, test := range []struct {
		name, source string
		fails        bool
		linters      []string
	}{
		{"faulty", faulty, true, []string{"exhaustive", "revive", "errcheck", "errorlint", "staticcheck", "unused"}},
		{"clean", clean, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := lint(t, linter, test.source)
			if (err != nil) != test.fails {
				t.Errorf("error = %v, want a failure: %t\n%s", err, test.fails, out)
			}
			for _, name := range test.linters {
				check.Contains(t, out, "("+name+")")
			}
		})
	}
}

// lint returns the output of the linter, with this module's configuration, for a module of one file.
func lint(t *testing.T, linter, source string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/linted\n\ngo 1.26\n", "source.go": source} {
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	config := check.Got(filepath.Abs(filepath.Join("..", "..", ".golangci.yaml"))).Must(t)
	cmd := exec.Command(linter, "run", "--allow-parallel-runners", "--config", config, "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
