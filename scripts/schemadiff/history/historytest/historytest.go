// Package historytest reads the released contracts for tests.
package historytest

import (
	"errors"
	"testing"

	"melmastoon.ghasi.io/scripts/schemadiff/history"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Released returns the releases of the contracts below root. If their commits are not here, it skips the test, or fails it if
// HISTORY_REQUIRED is set.
func Released(t testing.TB, root string) []history.Release {
	t.Helper()
	releases, err := history.Released(root)
	if errors.Is(err, history.ErrNoHistory) && !required(t) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(releases) == 0 {
		t.Fatalf("%s has no releases", history.ListFile)
	}
	return releases
}

// required reports whether missing commits fail the test, as in CI.
func required(t testing.TB) bool {
	t.Helper()
	var c struct {
		Required bool `env:"HISTORY_REQUIRED"`
	}
	if err := env.System().Load(&c); err != nil {
		t.Fatal(err)
	}
	return c.Required
}
