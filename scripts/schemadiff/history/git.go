package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// ErrNoHistory is returned if git cannot show an older commit: it is not installed, the tree is not a clone, or the clone is shallow.
var ErrNoHistory = errors.New("the commits of the released contracts are not here: use a clone of the repository, and in a shallow one run git fetch --unshallow")

// At returns the contracts of a git revision. Root is the folder with events and http in the working tree.
func At(root, revision string) (Set, error) {
	list, err := git(root, nil, "ls-tree", "-r", "--end-of-options", revision, "events", "http")
	if err != nil {
		return nil, err
	}
	var names []string
	var objects bytes.Buffer
	for line := range strings.Lines(string(list)) { // mode type object, a tab, path
		entry, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if published(name) {
			names = append(names, name)
			fmt.Fprintln(&objects, entry[strings.LastIndexByte(entry, ' ')+1:])
		}
	}
	texts, err := git(root, &objects, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	set := Set{}
	for _, name := range names { // object type size, a newline, the text, a newline
		head, text, _ := bytes.Cut(texts, []byte("\n"))
		var object, kind string
		var size int
		if _, err := fmt.Sscan(string(head), &object, &kind, &size); err != nil || size >= len(text) {
			return nil, fmt.Errorf("git cat-file: %s of %s: %s", name, revision, head)
		}
		set[name] = Contract{Name: name, Text: text[:size]}
		texts = text[size+1:]
	}
	return set, nil
}

// published reports whether a file is a contract.
func published(name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		match, err := path.Match(pattern, name)
		return match && err == nil
	})
}

// precedes returns nil if a commit is HEAD or before it. Other commits may be missing in the next clone.
func precedes(root, commit string) error {
	_, err := git(root, nil, "merge-base", "--is-ancestor", "--end-of-options", commit, "HEAD")
	if err == nil {
		return nil
	}
	if shallow, unknown := git(root, nil, "rev-parse", "--is-shallow-repository"); unknown != nil || strings.TrimSpace(string(shallow)) != "false" {
		return fmt.Errorf("%w (%w)", ErrNoHistory, err)
	}
	return fmt.Errorf("the commit %s is not in the history of HEAD", commit)
}

// git returns the output of a command of git in a folder.
func git(root string, in io.Reader, args ...string) ([]byte, error) {
	command := exec.Command("git", args...)
	command.Dir, command.Stdin = root, in
	out, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}
