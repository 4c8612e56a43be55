package newcomer

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// readSkeletons returns the commands with which CONTRIBUTING.md begins.
func readSkeletons(t *testing.T) (commands []string) {
	t.Helper()
	for _, line := range commandLines(read(t, "CONTRIBUTING.md").text) {
		if strings.HasPrefix(line.command, "go run ./scripts/new ") {
			commands = append(commands, strings.TrimSpace(line.command))
		}
	}
	for kind, flag := range map[string]string{"event": " -event ", "scheduled": " -every ", "http": "new reservation/"} {
		t.Run(kind, func(t *testing.T) {
			if !slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(c, flag) }) {
				t.Errorf("CONTRIBUTING.md begins no function with%s: %q", flag, commands)
			}
		})
	}
	return commands
}

// makeSkeletons runs the commands and returns the functions. Each command is run twice: the second run must refuse and write nothing.
func (w treeCopy) makeSkeletons(commands []string) (functions []string) {
	w.t.Helper()
	for _, command := range commands {
		out, err := w.run(command)
		check.Must(w.t, err, "%s: %s", command, out)
		if progress := regexp.MustCompile(`(?s)^wrote catalogue\.go\n.*\ngenerating .*\nnext: go test \./functions/`); !progress.MatchString(out) {
			w.t.Errorf("%s does not print its progress:\n%s", command, out)
		}
		name := command[strings.LastIndexByte(command, ' ')+1:]
		functions = append(functions, name)
		before := w.texts(name)
		if out, err = w.run(command); err == nil || !strings.Contains(out, "functions/"+name+" exists already; nothing was written") {
			w.t.Errorf("the second %s: %v\n%s", command, err, out)
		}
		check.Equal(w.t, before, w.texts(name), "the second %s has changed a file", command)
	}
	return functions
}

// texts returns the files that a skeleton has, by path.
func (w treeCopy) texts(function string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	patterns := append([]string{"functions/" + function + "/*"}, "catalogue.go", "schemas/http/*.yaml", "schemas/events/*.json", "terraform/catalogue.json")
	for _, pattern := range patterns {
		paths := check.Got(filepath.Glob(filepath.Join(w.dir, filepath.FromSlash(pattern)))).Must(w.t)
		for _, path := range paths {
			text := check.Got(os.ReadFile(path)).Must(w.t)
			all[path] = string(text)
		}
	}
	return all
}
