package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture_namesEveryFolder wants ARCHITECTURE.md to name every folder of scripts/ and test/ and every package of
// shared/, by the last element of its path.
func TestArchitecture_namesEveryFolder(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(text), func(r rune) bool { return !('a' <= r && r <= 'z') })
	var names []string
	for _, top := range []string{"scripts", "test"} {
		entries, err := os.ReadDir(filepath.Join(root, top))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, top+"/"+e.Name())
		}
	}
	for _, p := range packages(t) {
		if p.inside("shared") {
			names = append(names, p.path())
		}
	}
	for _, name := range names {
		if !slices.Contains(words, filepath.Base(name)) {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
	}
}

// TestArchitecture_size keeps ARCHITECTURE.md short. A merge that brings old text back fails here.
func TestArchitecture_size(t *testing.T) {
	t.Parallel()
	const maxBytes = 12 << 10
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxBytes {
		t.Errorf("ARCHITECTURE.md has %d bytes, want at most %d: decisions belong in DECISIONS.md", len(text), maxBytes)
	}
}

var (
	entryTitle = regexp.MustCompile(`^### (\d+)\. \S`)
	groupTitle = regexp.MustCompile(`^## ([A-Z])\. \S`)
)

// TestDecisions_entries wants each entry of DECISIONS.md to have a number of its own and the same three parts, and each group to be
// in the contents list.
func TestDecisions_entries(t *testing.T) {
	t.Parallel()
	text := documents(t)["DECISIONS.md"]
	seen := map[string]bool{}
	var entry string
	var parts []string
	check := func() {
		if want := []string{"Context", "Decision", "Consequence"}; entry != "" && !slices.Equal(parts, want) {
			t.Errorf("entry %s: parts = %v, want %v", entry, parts, want)
		}
		parts = nil
	}
	for line := range strings.Lines(text) {
		if m := groupTitle.FindStringSubmatch(line); m != nil && !strings.Contains(text, "\n| ["+m[1]+"](#"+strings.ToLower(m[1])+"-") {
			t.Errorf("group %s is not in the contents list", m[1])
		}
		if m := entryTitle.FindStringSubmatch(line); m != nil {
			check()
			entry = m[1]
			if seen[entry] {
				t.Errorf("two entries have the number %s", entry)
			}
			seen[entry] = true
		}
		if part, _, ok := strings.Cut(strings.TrimPrefix(line, "* **"), ":**"); ok && strings.HasPrefix(line, "* **") {
			parts = append(parts, part)
		}
	}
	check()
	if len(seen) < 80 {
		t.Errorf("found %d entries, want at least 80", len(seen))
	}
}

// banned are words that GLOSSARY.md replaces by plain ones.
var (
	banned = regexp.MustCompile(`(?i)\b(whoever|nobody|somebody|anybody|none|one that|is left alone|goes on without|is told of|what is told|who cares)\b`)
	quoted = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<!--.*?-->")
)

// TestDocuments_plainWords rejects banned words in documents, outside of code.
func TestDocuments_plainWords(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t) {
		for i, line := range strings.Split(quoted.ReplaceAllStringFunc(text, func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) }), "\n") {
			if word := banned.FindString(line); word != "" {
				t.Errorf("%s:%d: %q: write it in plain words, see GLOSSARY.md", name, i+1, word)
			}
		}
	}
	for _, wrong := range []string{"Whoever calls.", "There is none."} {
		t.Run(wrong, func(t *testing.T) {
			if banned.FindString(wrong) == "" {
				t.Error("the text is accepted, want it rejected")
			}
		})
	}
}

// documents returns the Markdown files of the tree by their path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root, found := filepath.Join("..", ".."), map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			found[filepath.ToSlash(name)] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
