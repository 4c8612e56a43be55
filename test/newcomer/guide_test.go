package newcomer

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// root is the module's folder as seen from this one.
var root = filepath.Join("..", "..")

// A step is one of the guide's: what to write where, and what to run.
type step struct {
	title    string
	edits    []edit
	commands []string
}

// An edit is a block of the guide, or a file that it links, and the file that is named before it.
type edit struct {
	line   int    // in the guide
	file   string // relative to the root
	place  string // "below", "above" or "in place of"; "" for a file that is new
	anchor string // the one line that the place is about
	linked string // the file with the text, relative to the root; "" for a block
	text   string
}

var (
	stepLine = regexp.MustCompile(`^### (\d+)\. (.+)$`)
	editLine = regexp.MustCompile("^\\*\\*`([^`]+)`\\*\\*(?:, (below|above|in place of) `(.+)`)?:?(?: \\[[^]]+\\]\\(([^)]+)\\))?$")
)

// readGuide reads the ten steps of CONTRIBUTING.md. A block that belongs to no file is an error, because a reader could not follow
// it. Blocks of the shell are commands. A linked file is the text of an edit.
func readGuide(t *testing.T) []step {
	t.Helper()
	text := check.Got(os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))).Must(t)
	steps := check.Got(parseGuide(string(text))).Must(t)
	for i, s := range steps {
		for j, e := range s.edits {
			if e.linked == "" {
				continue
			}
			text := check.Got(os.ReadFile(filepath.Join(root, filepath.FromSlash(e.linked)))).Must(t)
			steps[i].edits[j].text = string(text)
		}
	}
	return steps
}

func parseGuide(text string) (steps []step, err error) {
	lines := strings.Split(text, "\n")
	var named *edit
	for i := 0; i < len(lines); i++ {
		if m := stepLine.FindStringSubmatch(lines[i]); m != nil {
			if m[1] != fmt.Sprint(len(steps)+1) {
				return nil, fmt.Errorf("line %d: step %s comes after %d steps", i+1, m[1], len(steps))
			}
			steps = append(steps, step{title: m[2]})
		}
		if m := editLine.FindStringSubmatch(lines[i]); m != nil {
			named = &edit{line: i + 1, file: m[1], place: m[2], anchor: m[3], linked: m[4]}
			if len(steps) == 0 {
				return nil, fmt.Errorf("line %d: an edit of no step", i+1)
			}
			if named.linked != "" {
				steps[len(steps)-1].edits = append(steps[len(steps)-1].edits, *named)
				named = nil
			}
		}
		language, fence := strings.CutPrefix(lines[i], "```")
		if !fence {
			continue
		}
		end := slices.Index(lines[i+1:], "```")
		if end < 0 || len(steps) == 0 || named == nil && language != "sh" {
			return nil, fmt.Errorf("line %d: a block without an end, a step or a file", i+1)
		}
		body := lines[i+1 : i+1+end]
		current := &steps[len(steps)-1]
		if named == nil {
			current.commands = append(current.commands, body...)
		} else {
			named.text = strings.Join(body, "\n") + "\n"
			current.edits = append(current.edits, *named)
		}
		named, i = nil, i+1+end
	}
	return steps, nil
}

func TestGuide_parse(t *testing.T) {
	t.Parallel()
	const before = "### 1. Name it\n\n**`a.go`**\n\n```go\nx\n```\n\n"
	steps, err := parseGuide(before + "**`b.go`**, below `y (z)`:\n\n```go\n\tw\n```\n**`c.go`**, above `v`: [more](d.go)\n### 2. Run it\n```sh\ngo test\n```\n")
	check.Must(t, err)
	check.MustEqual(t, len(steps), 2)
	check.MustEqual(t, len(steps[0].edits), 3)
	if !slices.Equal(steps[1].commands, []string{"go test"}) {
		t.Fatalf("steps[1].commands = %v, want %v", steps[1].commands, []string{"go test"})
	}
	block := edit{line: 9, file: "b.go", place: "below", anchor: "y (z)", text: "\tw\n"}
	linked := edit{line: 14, file: "c.go", place: "above", anchor: "v", linked: "d.go"}
	check.Equal(t, steps[0].edits[1:], []edit{block, linked})
	for name, text := range map[string]string{
		"a block of no file":  before + "```go\nx\n```\n",
		"a block of no step":  "**`a.go`**\n```go\nx\n```\n",
		"a link of no step":   "**`a.go`**: [x](b.go)\n",
		"a block without end": before + "**`b.go`**\n```go\n",
		"a step is missing":   before + "### 3. Test it\n",
	} {
		t.Run(name, func(t *testing.T) { check.Got(parseGuide(text)).Fails(t, "parsing") })
	}
}
