package history

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
)

// The released versions are beside the contracts: released/events/<subject>/1.json, 2.json and so on, and the same for http.
const (
	releasedIn = "released"
	// AcknowledgedFile lists the findings since the last release whose meaning a person has confirmed, one line each.
	AcknowledgedFile = releasedIn + "/acknowledged.txt"
)

// folder returns the folder of a contract's released versions.
func folder(name string) string {
	return path.Join(releasedIn, strings.TrimSuffix(name, path.Ext(name)))
}

// Versions returns the released versions of all contracts, the oldest first.
func Versions(tree fs.FS) (map[string][]Contract, error) {
	versions := map[string][]Contract{}
	folders, err := fs.Glob(tree, releasedIn+"/*/*")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		entries, err := fs.ReadDir(tree, folder)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(folder, releasedIn+"/")
		for n := range entries {
			found, err := fs.Glob(tree, folder+"/"+strconv.Itoa(n+1)+".*")
			if err != nil || len(found) != 1 {
				return nil, fmt.Errorf("%s: want the files 1 to %d, one each: %w", folder, len(entries), errors.Join(err, fs.ErrNotExist))
			}
			text, err := fs.ReadFile(tree, found[0])
			if err != nil {
				return nil, err
			}
			file := name + path.Ext(found[0])
			versions[file] = append(versions[file], Contract{Name: file, Text: text})
		}
	}
	return versions, nil
}

// Check compares the contracts of a tree with every released version. Of versions before the last one only breaking changes count: the others
// were decided when they were released.
func Check(tree fs.FS, today time.Time) (found []evolution.Finding, acknowledged []string, err error) {
	set, err := Read(tree)
	if err != nil {
		return nil, nil, err
	}
	versions, err := Versions(tree)
	if err != nil {
		return nil, nil, err
	}
	last := Set{}
	for name, released := range versions {
		last[name] = released[len(released)-1]
	}
	if found, err = Compare(last, set, today); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		is, ok := set[name]
		if !ok {
			continue
		}
		for i, was := range versions[name][:len(versions[name])-1] {
			changes, err := Diff(was, is)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, transitive(name, i+1, changes)...)
		}
	}
	acknowledged, err = acknowledgements(tree)
	return found, acknowledged, err
}

// transitive returns the breaking changes since an earlier release.
func transitive(name string, release int, changes []evolution.Finding) (breaking []evolution.Finding) {
	for _, f := range changes {
		if f.Verdict() == evolution.Breaking {
			f.Contract, f.Detail = short(name), strings.TrimSpace(f.Detail+fmt.Sprintf(" (since release %d)", release))
			breaking = append(breaking, f)
		}
	}
	return breaking
}

func acknowledgements(tree fs.FS) (lines []string, err error) {
	text, err := fs.ReadFile(tree, AcknowledgedFile)
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
	known, err := acknowledgements(os.DirFS(root))
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

// Release adds the contracts that have changed since their last release to the released versions below root, and returns their names. It
// removes the acknowledgements, which are part of the release now. The contracts must have passed Check.
func Release(root string) (names []string, err error) {
	tree := os.DirFS(root)
	set, err := Read(tree)
	if err != nil {
		return nil, err
	}
	versions, err := Versions(tree)
	if err != nil {
		return nil, err
	}
	for _, name := range sorted(set, nil) {
		released := versions[name]
		if n := len(released); n > 0 && string(released[n-1].Text) == string(set[name].Text) {
			continue
		}
		file := fmt.Sprintf("%s/%d%s", folder(name), len(released)+1, path.Ext(name))
		if err := write(root, file, set[name].Text); err != nil {
			return names, err
		}
		names = append(names, file)
	}
	if err := os.Remove(filepath.Join(root, AcknowledgedFile)); !errors.Is(err, fs.ErrNotExist) {
		return names, err
	}
	return names, nil
}

func write(root, name string, text []byte) error {
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
