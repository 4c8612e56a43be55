package newcomer

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/scripts/schemadiff/history/historytest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// pastedBy lists the documents whose blocks of commands a test pastes into a shell, with that test. A star stands for any name.
var pastedBy = map[string]string{
	"CONTRIBUTING.md":          "TestGuide_tenSteps",
	"schemas/http/README.md":   "TestCommandLines_forSiteBuildersRun",
	"terraform/README.md":      "TestReadme_blocks",
	"terraform/RESTORE.md":     "TestRestore_blocks",
	"terraform/ROLLBACK.md":    "TestRollback_blocks",
	"terraform/playbooks/*.md": "TestPages",
}

// notRun lists the other commands that TestCommands_run does not run, each with the test that runs it or the reason. A star stands for
// any end.
var notRun = map[string]string{
	"./scripts/run*":                        "TestCommandLines_forSiteBuildersRun starts the program that it becomes; TestCommands_flags checks its flags",
	"./scripts/test*":                       "it runs this test; TestCommands_flags checks its flags",
	"./scripts/soak*":                       "it runs the long counts for an hour; TestSoak_parts checks its parts",
	"go run ./scripts/bundle --all":         "TestBundles_serve builds every archive",
	"go run ./scripts/timeline*":            "it needs a booking; TestTimeline_booking prints the same",
	`curl "$redirectUrl" -d action=pay`:     "it needs a booking; TestTypeScript_bookRoom pays with the same request",
	"curl -N *":                             "the stream has no end; the journeys read it",
	"npm *":                                 "TestTypeScript_bookRoom, TestTypeScript_install and TestStarter run them, or the programs behind them",
	"cd test/load/peers && go test *":       "it compares times with those of other libraries, from a module of its own",
	"MELMASTOON_SEED=<seed> *":              "the seed and the test are those of a failure",
	"gcloud run jobs execute *":             "TestReadme_blocks pastes it",
	"gcloud pubsub subscriptions seek *":    "TestReadme_blocks pastes it",
	"gcloud artifacts repositories *":       "TestReadme_blocks pastes it",
	"gcloud projects undelete *":            "TestReadme_blocks pastes it",
	"terraform state rm *":                  "TestKept runs it",
	"terraform force-unlock":                "it needs a lock of a run that was killed",
	"go build -overlay":                     "names the flag with which TestMutations_noticed builds",
	"go run ./scripts/schemadiff --release": "TestCommand_release runs it: a release needs a raised version",
}

// A shownCommand is a command of a document. It is pasted if it is in a block of a document in pastedBy.
type shownCommand struct {
	document, text string
	pasted         bool
}

var (
	assignments = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )+`)
	runs        = regexp.MustCompile(`^(?:\./scripts/\w|(?:curl|gcloud|git|go|node|npm|npx|psql|terraform|cd|set) \S)`)
	fenced      = regexp.MustCompile("(?s)\n```.*?\n```")
	shellBlock  = regexp.MustCompile("(?s)\n```sh\n(.*?)\n```")
)

// allDocuments returns the text of each document of the tree by its path.
func allDocuments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == ".local" || name == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		inside, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(at)
		all[filepath.ToSlash(inside)] = string(text)
		return err
	})
	check.Must(t, err)
	return all
}

// commandsOf returns the commands of a document: in its blocks, on indented lines, and in its sentences.
func commandsOf(name, text string) (all []shownCommand) {
	_, pasted := matching(pastedBy, name)
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			all = append(all, shownCommand{name, line, pasted})
		}
	}
	prose := fenced.ReplaceAllString("\n"+text, "\n")
	for _, line := range indented.FindAllStringSubmatch(prose, -1) {
		all = append(all, shownCommand{name, line[1], pasted})
	}
	for _, said := range code.FindAllStringSubmatch(prose, -1) {
		all = append(all, shownCommand{name, said[1], pasted && strings.HasPrefix(name, "terraform/playbooks/")}) // the test of the pages pastes these, too
	}
	for i := range all {
		command, _, _ := strings.Cut(all[i].text, " # ")
		all[i].text = strings.ReplaceAll(strings.TrimSpace(command), `\|`, "|") // a cell of a table
	}
	return slices.DeleteFunc(all, func(c shownCommand) bool { return !runs.MatchString(assignments.ReplaceAllString(c.text, "")) })
}

// matching returns the entry of a list for a name: the name itself, or a pattern with a star.
func matching(list map[string]string, name string) (entry string, ok bool) {
	for _, pattern := range slices.Sorted(maps.Keys(list)) {
		before, isPattern := strings.CutSuffix(pattern, "*")
		if matched, err := path.Match(pattern, name); pattern == name || isPattern && strings.HasPrefix(name, before) || err == nil && matched {
			return pattern, true
		}
	}
	return "", false
}

// isTest reports whether a command is go test. ./scripts/test runs all tests, so it is enough that the packages have the named ones.
func isTest(command string) bool {
	return strings.HasPrefix(assignments.ReplaceAllString(command, ""), "go test ")
}

// TestCommands_run requires each command of each document to be pasted by a test, to be in notRun, to name tests that exist, or to
// succeed in a copy of the tree.
func TestCommands_run(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a copy of the tree")
	}
	used, commands := map[string]bool{}, map[string]bool{}
	for name, text := range allDocuments(t) {
		for _, c := range commandsOf(name, text) {
			if pattern, ok := matching(notRun, c.text); ok {
				used[pattern] = true
				continue
			}
			switch {
			case c.pasted:
			case isTest(c.text):
				for _, missing := range unmatched(t, c.text) {
					t.Errorf("%s: %s: no test is called %s", name, c.text, missing)
				}
			case len(strings.Fields(c.text)) > 2 || strings.HasPrefix(c.text, "./"): // "go build" in a sentence names a program
				commands[c.text] = true
			}
		}
	}
	for pattern := range notRun {
		if !used[pattern] {
			t.Errorf("no document shows %s: take it off the list", pattern)
		}
	}
	historytest.Released(t, filepath.Join(root, "schemas"))
	w := open(t)
	w.versioned()
	for _, command := range slices.Sorted(maps.Keys(commands)) {
		if out, err := w.run(strings.ReplaceAll(command, "<revision>", "HEAD")); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	if len(commands) < 5 {
		t.Errorf("only %d commands were run", len(commands))
	}
}

// versioned makes the copy a clone with one more commit, and adds the settings that a run of the local cloud leaves.
func (w treeCopy) versioned() {
	w.t.Helper()
	of := check.Got(filepath.Abs(root)).Must(w.t)
	const commands = "mkdir -p .local && touch .local/env && mv .local/clone/.git . && git add . && git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x"
	if out, err := w.run("git clone -q --shared --no-checkout '" + of + "' .local/clone && " + commands); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// TestCommands_pastedBy requires the tests that paste blocks to exist, and each pattern to name a document.
func TestCommands_pastedBy(t *testing.T) {
	t.Parallel()
	source := sources(t)
	documents := allDocuments(t)
	for pattern, test := range pastedBy {
		t.Run(pattern, func(t *testing.T) {
			check.Contains(t, source, "\nfunc "+test+"(t *testing.T)")
			shown := 0
			for name, text := range documents {
				if matched, err := path.Match(pattern, name); err == nil && matched {
					shown += len(commandsOf(name, text))
				}
			}
			if shown == 0 {
				t.Error("no such document has a command")
			}
		})
	}
}

func TestCommandsOf(t *testing.T) {
	t.Parallel()
	const text = "See `go test ./a -run 'B\\|C'`, `catalogue.go` and\n\n    ./scripts/run   # starts it\n\n```sh\ngcloud x y\n```\n\n```go\ngo func() {}()\n```\n"
	for _, test := range []struct {
		name   string
		pasted []bool
	}{
		{"README.md", []bool{false, false, false}},
		{"terraform/README.md", []bool{true, true, false}},
		{"terraform/playbooks/edge.md", []bool{true, true, true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			var pasted []bool
			for _, c := range commandsOf(test.name, text)[:3] {
				texts, pasted = append(texts, c.text), append(pasted, c.pasted)
			}
			check.Equal(t, texts, []string{"gcloud x y", "./scripts/run", "go test ./a -run 'B|C'"}, "commands")
			check.Equal(t, pasted, test.pasted)
		})
	}
}
