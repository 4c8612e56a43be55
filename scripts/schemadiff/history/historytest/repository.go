package historytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Repository is a git repository of a test.
type Repository struct {
	t    testing.TB
	Root string
}

// NewRepository creates an empty repository with the branch main.
func NewRepository(t testing.TB) Repository {
	t.Helper()
	r := Repository{t: t, Root: t.TempDir()}
	r.Git("init", "--quiet", "--initial-branch=main")
	return r
}

// Clone clones the repository, with further arguments of git clone.
func (r Repository) Clone(args ...string) Repository {
	r.t.Helper()
	clone := Repository{t: r.t, Root: r.t.TempDir()}
	clone.Git(append(append([]string{"clone", "--quiet"}, args...), "file://"+r.Root, ".")...)
	return clone
}

// Git runs a command of git and returns its output.
func (r Repository) Git(args ...string) string {
	r.t.Helper()
	command := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	command.Dir = r.Root
	out, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Put writes a file.
func (r Repository) Put(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.Root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Commit commits all files and returns the commit.
func (r Repository) Commit() string {
	r.t.Helper()
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--message=x")
	return r.Git("rev-parse", "HEAD")
}
