// Package npm installs pinned npm packages for tests that run Node.
package npm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// installed is where packages are installed, relative to the root of the tree.
const installed = ".local/npm"

// Need skips the test if Node or npm is not installed, or fails it if NODE_REQUIRED is set.
func Need(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Node")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if required(t) {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

func required(t testing.TB) bool {
	t.Helper()
	var c struct {
		Required bool `env:"NODE_REQUIRED"`
	}
	check.Must(t, env.System().Load(&c))
	return c.Required
}

// Install installs the packages of a folder's package-lock.json once per content of that file, and returns the folder with
// node_modules.
func Install(t testing.TB, root, folder string) string {
	t.Helper()
	Need(t)
	hash := sha256.New()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text := check.Got(os.ReadFile(filepath.Join(folder, name))).Must(t)
		files[name] = text
		hash.Write(text)
	}
	to := filepath.Join(check.Got(filepath.Abs(root)).Must(t), installed, hex.EncodeToString(hash.Sum(nil))[:16])
	if _, err := os.Stat(to); err == nil {
		return to
	}
	check.Must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	at, err := os.MkdirTemp(filepath.Dir(to), "new-") //nolint:usetesting // it is renamed, so it must be on the same file system
	check.Must(t, err)
	for name, text := range files {
		check.Must(t, os.WriteFile(filepath.Join(at, name), text, 0o644))
	}
	Run(t, at, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	if err := os.Rename(at, to); err != nil && !errors.Is(err, fs.ErrExist) && !exists(to) { // another process may have been first
		t.Fatal(err)
	}
	return to
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Run runs a program in a folder and returns its output. A failure fails the test.
func Run(t testing.TB, folder, program string, arguments ...string) string {
	t.Helper()
	output, err := Try(t, folder, program, arguments...)
	check.Must(t, err, "%s %s: %s", program, strings.Join(arguments, " "), output)
	return output
}

// Try runs a program in a folder and returns its output and how it ended.
func Try(t testing.TB, folder, program string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	output, err := command.CombinedOutput()
	return string(output), err
}
