package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// bannedInComments are the words of banned that comments do not need. "None" and "one that" also have a plain use.
var bannedInComments = regexp.MustCompile(`(?i)\b(whoever|nobody|somebody|anybody|everybody|is left alone|goes on without|is told of|what is told|who cares)\b`)

// parseAll parses all Go files of the tree, also tests and other modules.
func parseAll(t *testing.T) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	set, found := token.NewFileSet(), map[string]*ast.File{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		found[path] = file
		return err
	})
	check.Must(t, err)
	if len(found) < 500 {
		t.Fatalf("found %d Go files, want at least 500", len(found))
	}
	return set, found
}

// TestComments_plainWords rejects banned words in the comments of all Go files.
func TestComments_plainWords(t *testing.T) {
	t.Parallel()
	set, files := parseAll(t)
	for _, file := range files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				check.Equal(t, bannedInComments.FindString(c.Text), "", "%s: write it in plain words, see GLOSSARY.md", set.Position(c.Pos()))
			}
		}
	}
	if bannedInComments.FindString("// Whoever calls.") == "" {
		t.Error("accepted: Whoever calls.")
	}
}
