package newcomer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A treeCopy is a copy of the tree in which the steps of the guide are done.
type treeCopy struct {
	t   testing.TB
	dir string
}

// open copies the tree as it stands, without its history and without what it keeps for itself.
func open(t testing.TB) treeCopy {
	t.Helper()
	w := treeCopy{t, t.TempDir()}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(w.dir, inside)
		switch {
		case entry.IsDir() && (inside == ".git" || inside == ".local"):
			return fs.SkipDir
		case inside == ".git": // of a linked work tree: Git would change that tree
			return nil
		case entry.IsDir():
			return os.MkdirAll(to, 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		return copyFile(path, to)
	})
	check.Must(t, err)
	return w
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another test's, gone meanwhile
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// apply does what a block says.
func (w treeCopy) apply(e edit) error {
	path := filepath.Join(w.dir, filepath.FromSlash(e.file))
	before, err := os.ReadFile(path)
	switch {
	case e.place == "" && err == nil:
		return fmt.Errorf("line %d: %s is there already", e.line, e.file)
	case e.place == "":
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(e.text), 0o644)
	case err != nil:
		return fmt.Errorf("line %d: %w", e.line, err)
	}
	after, err := e.placed(string(before))
	if err != nil {
		return fmt.Errorf("line %d: %s: %w", e.line, e.file, err)
	}
	return os.WriteFile(path, []byte(after), 0o644)
}

// placed puts the block where it belongs. There must be exactly one such line: with two, a reader could take the wrong one.
func (e edit) placed(text string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	at := -1
	for i, line := range lines {
		if strings.TrimSpace(line) != e.anchor {
			continue
		}
		if at >= 0 {
			return "", fmt.Errorf("has %q twice", e.anchor)
		}
		at = i
	}
	if at < 0 {
		return "", fmt.Errorf("does not have the line %q", e.anchor)
	}
	from, to := at, at
	switch e.place {
	case "below":
		from, to = at+1, at+1
	case "in place of":
		to = at + 1
	}
	return strings.Join(slices.Concat(lines[:from], []string{e.text}, lines[to:]), ""), nil
}

// run runs a command of the guide in the copy, which needs no history even in CI. Paths are left out of what is built, so that the next
// copy, which lies somewhere else, finds it in the cache.
func (w treeCopy) run(command string) (string, error) {
	cmd := exec.CommandContext(w.t.Context(), "bash", "-c", command)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PWD="+w.dir, "GOFLAGS=-mod=readonly -trimpath", "HISTORY_REQUIRED=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestCopy_blockOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, place, anchor, text, want string }{
		{name: "below", place: "below", anchor: "b", text: "a\n\tb\nc\n", want: "a\n\tb\nx\nc\n"},
		{name: "above", place: "above", anchor: "b", text: "a\n\tb\nc\n", want: "a\nx\n\tb\nc\n"},
		{name: "in place of", place: "in place of", anchor: "b", text: "a\n\tb\nc\n", want: "a\nx\nc\n"},
		{name: "anchor missing", place: "below", anchor: "b", text: "a\n", want: ""},
		{name: "anchor twice", place: "below", anchor: "b", text: "b\nb\n", want: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := edit{place: test.place, anchor: test.anchor, text: "x\n"}.placed(test.text)
			check.Equal(t, got, test.want)
			if valid := test.want != ""; (err == nil) != valid {
				t.Errorf("error = %v, want nil: %t", err, valid)
			}
		})
	}
}
