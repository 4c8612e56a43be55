package history

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
)

const (
	// ListFile lists the releases, the oldest first: a version and a commit per line. The contracts of a release are those of its commit.
	ListFile = "released/commits.txt"
	// AcknowledgedFile lists the findings since the last release whose meaning a person has confirmed, one line each.
	AcknowledgedFile = "released/acknowledged.txt"
)

// A Release is one version of all contracts.
type Release struct {
	Version   string
	Commit    string
	Contracts Set
}

// row matches a line of ListFile. An abbreviated commit may become ambiguous.
var row = regexp.MustCompile(`^([0-9]+\.[0-9]+) ([0-9a-f]{40})\n$`)

// Released returns the releases, the oldest first. It reads their contracts from git.
func Released(root string) (releases []Release, err error) {
	list, err := os.ReadFile(filepath.Join(root, ListFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(list)) {
		fields := row.FindStringSubmatch(line)
		if fields == nil {
			return nil, fmt.Errorf("%s: want a version and the 40 digits of a commit in the line %q", ListFile, line)
		}
		r := Release{Version: fields[1], Commit: fields[2]}
		if err := precedes(root, r.Commit); err != nil {
			return nil, fmt.Errorf("release %s: %w", r.Version, err)
		}
		if r.Contracts, err = At(root, r.Commit); err != nil {
			return nil, fmt.Errorf("release %s: %w", r.Version, err)
		}
		releases = append(releases, r)
	}
	return releases, err
}

// A form is a contract, and the first release with this text of it.
type form struct {
	Contract
	since string
}

// forms returns the released forms of each contract, the oldest first.
func forms(releases []Release) map[string][]form {
	all := map[string][]form{}
	for _, r := range releases {
		for name, c := range r.Contracts {
			known := all[name]
			if n := len(known); n == 0 || !bytes.Equal(known[n-1].Text, c.Text) {
				all[name] = append(known, form{Contract: c, since: r.Version})
			}
		}
	}
	return all
}

// Check compares the contracts below root with every released form. Of forms before the last one only breaking changes count: the others
// were decided when they were released.
func Check(root string, today time.Time) (found []evolution.Finding, acknowledged []string, err error) {
	set, err := Read(os.DirFS(root))
	if err != nil {
		return nil, nil, err
	}
	releases, err := Released(root)
	if err != nil {
		return nil, nil, err
	}
	released, last := forms(releases), Set{}
	for name, forms := range released {
		last[name] = forms[len(forms)-1].Contract
	}
	if found, err = Compare(last, set, today); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(released)) {
		is, ok := set[name]
		if !ok {
			continue
		}
		for _, was := range released[name][:len(released[name])-1] {
			changes, err := Diff(was.Contract, is)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, transitive(was, changes)...)
		}
	}
	acknowledged, err = acknowledgements(root)
	return found, acknowledged, err
}

// transitive returns the breaking changes since an earlier form.
func transitive(was form, changes []evolution.Finding) (breaking []evolution.Finding) {
	for _, f := range changes {
		if f.Verdict() == evolution.Breaking {
			f.Contract, f.Detail = short(was.Name), strings.TrimSpace(f.Detail+fmt.Sprintf(" (since release %s)", was.since))
			breaking = append(breaking, f)
		}
	}
	return breaking
}

func acknowledgements(root string) (lines []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, AcknowledgedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines, err
}

// Acknowledge adds lines to the file of acknowledgements below root.
func Acknowledge(root string, found []evolution.Finding) error {
	known, err := acknowledgements(root)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Verdict() == evolution.Acknowledge && !slices.Contains(known, f.String()) {
			known = append(known, f.String())
		}
	}
	if len(known) == 0 {
		return nil
	}
	slices.Sort(known)
	return write(root, AcknowledgedFile, []byte(strings.Join(known, "\n")+"\n"))
}

// ErrReleased is returned if the contracts have changed since the release of their version.
var ErrReleased = errors.New("this version is released: raise it in jobs/command/version/api.txt and the contracts first")

// ErrUncommitted is returned if the contracts differ from those of HEAD.
var ErrUncommitted = errors.New("commit the contracts first: a release names a commit")

// NewRelease adds HEAD to the releases below root as a version, and returns its line in ListFile, or "" if no contract has changed since the
// last release. It removes the acknowledgements, which are part of the release now. The contracts must have passed Check.
func NewRelease(root, version string) (line string, err error) {
	releases, err := Released(root)
	if err != nil {
		return "", err
	}
	head, err := At(root, "HEAD")
	if err != nil {
		return "", err
	}
	tree, err := Read(os.DirFS(root))
	if err != nil {
		return "", err
	}
	switch {
	case !equal(head, tree):
		return "", ErrUncommitted
	case len(releases) > 0 && equal(releases[len(releases)-1].Contracts, head):
		return "", nil
	case slices.ContainsFunc(releases, func(r Release) bool { return r.Version == version }):
		return "", fmt.Errorf("%s: %w", version, ErrReleased)
	}
	commit, err := git(root, nil, "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	line = version + " " + string(commit)
	if err := add(root, line); err != nil {
		return "", err
	}
	if err := os.Remove(filepath.Join(root, AcknowledgedFile)); !errors.Is(err, fs.ErrNotExist) {
		return line, err
	}
	return line, nil
}

func equal(a, b Set) bool {
	return maps.EqualFunc(a, b, func(a, b Contract) bool { return bytes.Equal(a.Text, b.Text) })
}

func add(root, line string) error {
	list, err := os.ReadFile(filepath.Join(root, ListFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return write(root, ListFile, append(list, line...))
}

func write(root, name string, text []byte) error {
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
