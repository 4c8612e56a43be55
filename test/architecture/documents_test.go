package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestArchitecture_namesEveryFolder wants ARCHITECTURE.md to name every folder of scripts/ and test/ and every package of
// shared/, by the last element of its path.
func TestArchitecture_namesEveryFolder(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text := check.Got(os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))).Must(t)
	words := strings.FieldsFunc(string(text), func(r rune) bool { return !('a' <= r && r <= 'z') })
	var names []string
	for _, top := range []string{"scripts", "test"} {
		entries := check.Got(os.ReadDir(filepath.Join(root, top))).Must(t)
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

var (
	record     = regexp.MustCompile(`^\d+\. `)
	recordDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d, (accepted|superseded by \[\d+\]\(#\S+\))$`)
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
	recordPart = regexp.MustCompile(`(?m)^\* \*\*(\w+):\*\* `)
)

// TestDecisions_records wants each record of DECISIONS.md to have a number of its own, a date, a status and the same four parts,
// to be in the index once, and to be cited by the code or a document where it applies.
func TestDecisions_records(t *testing.T) {
	t.Parallel()
	w := readIndex(t)
	text := w.documents["DECISIONS.md"]
	index, records, _ := strings.Cut(text, "\n## Records\n")
	places := map[string]bool{}
	for name, other := range w.documents {
		if name != "DECISIONS.md" {
			w.texts = append(w.texts, other)
		}
	}
	for _, other := range w.texts {
		for _, n := range cited(other) {
			places[n] = true
		}
	}
	seen := map[string]bool{}
	for section := range strings.SplitSeq(records, "\n### ") {
		title, rest, _ := strings.Cut(section, "\n")
		if !record.MatchString(title) {
			continue
		}
		n, _, _ := strings.Cut(title, ".")
		date, body, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		var parts []string
		for _, m := range recordPart.FindAllStringSubmatch(body, -1) {
			parts = append(parts, m[1])
		}
		status := recordDate.FindStringSubmatch(date)
		if status == nil || !slices.Equal(parts, []string{"Context", "Rejected", "Decision", "Consequence"}) {
			t.Errorf("record %s: date %q, parts %v", n, date, parts)
		}
		if strings.Count(index, "\n* ["+title+"](") != 1 {
			t.Errorf("record %s: want it in the index once", n)
		}
		if seen[n] || !places[n] && status != nil && status[1] == "accepted" {
			t.Errorf("record %s: want a number of its own and a citation where the decision applies", n)
		}
		seen[n] = true
	}
	if len(seen) < 30 {
		t.Errorf("found %d records, want at least 30", len(seen))
	}
}

// TestDocuments_form keeps the documents at the root short, with lines of one width outside of tables and code, and cells of
// PROOFS.md that can be read.
func TestDocuments_form(t *testing.T) {
	t.Parallel()
	all := documents(t)
	const width, cell = 120, 200
	for name, kilobytes := range map[string]int{
		"ARCHITECTURE.md": 12, "CHANGELOG.md": 64, "CONTRIBUTING.md": 14, "DECISIONS.md": 40, "GLOSSARY.md": 9, "PROOFS.md": 14, "README.md": 11, "SECURITY.md": 1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(all[name]) > kilobytes<<10 {
				t.Errorf("%d bytes, want at most %d KB", len(all[name]), kilobytes)
			}
			for i, line := range strings.Split(fence.ReplaceAllStringFunc(all[name], func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) }), "\n") {
				prose := !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "    ") && strings.Contains(line[min(len(line), width/2):], " ")
				if utf8.RuneCountInString(line) > width && prose && !strings.HasPrefix(line, "**`") && !strings.HasPrefix(line, "* [") {
					t.Errorf("line %d is longer than %d", i+1, width)
				}
				for text := range strings.SplitSeq(linkTarget.ReplaceAllString(line, "]"), " | ") {
					if name == "PROOFS.md" && utf8.RuneCountInString(text) > cell {
						t.Errorf("line %d has a cell longer than %d", i+1, cell)
					}
				}
			}
		})
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
			check.Equal(t, banned.FindString(line), "", "%s:%d: write it in plain words, see GLOSSARY.md", name, i+1)
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
	check.Must(t, err)
	return found
}
