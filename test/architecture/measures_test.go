package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// prose counts the words of Go comments outside tests.
type prose struct {
	words int
	found map[string]int
}

var word = regexp.MustCompile(`[A-Za-z']+`)

func readProse(t *testing.T) prose {
	t.Helper()
	p := prose{found: map[string]int{}}
	for _, s := range sources(t) {
		if testkit(s.pkg.path()) || s.pkg.inside("test") {
			continue
		}
		for _, group := range s.file.Comments {
			for _, w := range word.FindAllString(group.Text(), -1) {
				p.words++
				p.found[strings.ToLower(w)]++
			}
		}
	}
	return p
}

// perThousand returns how often a word occurs in a thousand words.
func (p prose) perThousand(w string) float64 { return 1000 * float64(p.found[w]) / float64(p.words) }

// TestMeasures_comments prints how comments read and holds the figures: they may improve, and the limits follow.
func TestMeasures_comments(t *testing.T) {
	t.Parallel()
	p := readProse(t)
	if p.words == 0 {
		t.Fatal("no comments found")
	}
	for _, limit := range []struct {
		word     string
		min, max float64 // per thousand words
	}{
		{"what", 0, 2}, {"who", 0, 1}, {"whoever", 0, 0}, {"nobody", 0, 0}, {"none", 0, 1}, {"if", 7, 1000}, {"returns", 5, 1000},
	} {
		got := p.perThousand(limit.word)
		t.Logf("%-8s %6.2f per 1,000 of %d words", limit.word, got, p.words)
		if got < limit.min || got > limit.max {
			t.Errorf("%q occurs %.2f times in 1,000 words of comments, want %v to %v", limit.word, got, limit.min, limit.max)
		}
	}
}

// maxSharedLines bounds shared/ without local and testkit, tests not counted: it stays a small library and a small runtime.
const maxSharedLines = 13_121

func TestMeasures_sharedLines(t *testing.T) {
	t.Parallel()
	library, platform := 0, 0
	for _, s := range sources(t) {
		lines := fileSet.Position(s.file.FileEnd).Line
		switch {
		case s.pkg.inside("shared/platform"):
			platform += lines
		case s.pkg.inside("shared") && !s.pkg.inside("shared/local") && !s.pkg.inside("shared/testkit"):
			library += lines
		}
	}
	t.Logf("library %d lines, platform %d lines", library, platform)
	if library == 0 {
		t.Error("library = 0, want a value")
	}
	if platform == 0 {
		t.Error("platform = 0, want a value")
	}
	if library+platform > maxSharedLines {
		t.Errorf("library and platform have %d lines, want 1 to %d", library+platform, maxSharedLines)
	}
}

// maxUnkeyed bounds composite literals with six or more fields and no keys: two neighbouring fields of one type are easily swapped.
const maxUnkeyed = 0

func TestMeasures_unkeyedLiterals(t *testing.T) {
	t.Parallel()
	all, wide := 0, 0
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || len(literal.Elts) == 0 || !namesStruct(literal.Type) {
				return true
			}
			if _, keyed := literal.Elts[0].(*ast.KeyValueExpr); keyed {
				return true
			}
			all++
			if len(literal.Elts) >= 6 {
				wide++
				t.Logf("%s: %d fields without keys", fileSet.Position(literal.Pos()), len(literal.Elts))
			}
			return true
		})
	}
	t.Logf("%d literals without keys, %d of them with six or more fields", all, wide)
	if wide > maxUnkeyed {
		t.Errorf("%d literals have six or more fields without keys, want at most %d", wide, maxUnkeyed)
	}
}

// namesStruct reports whether the type of a literal is a named type other than the list fn.Uses. The syntax alone does not tell
// named structs from named slices.
func namesStruct(e ast.Expr) bool {
	switch t := e.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name != "Uses"
	case *ast.Ident, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// maxCombined bounds the assertions of tests that join three or more conditions: their failure does not say which one failed. It may
// only be lowered.
const maxCombined = 0

func TestMeasures_combinedAssertions(t *testing.T) {
	t.Parallel()
	asserted, combined := 0, 0
	for _, file := range testFiles(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			i, ok := n.(*ast.IfStmt)
			if !ok || !reports(i.Body) {
				return true
			}
			asserted++
			if alternatives(i.Cond) >= 3 {
				combined++
				t.Logf("%s: %d conditions in one assertion", fileSet.Position(i.Pos()), alternatives(i.Cond))
			}
			return true
		})
	}
	t.Logf("%d assertions, %d of them with three or more conditions", asserted, combined)
	if asserted == 0 {
		t.Error("no assertion found")
	}
	if combined > maxCombined {
		t.Errorf("%d assertions join three or more conditions, want at most %d", combined, maxCombined)
	}
}

// testFiles parses the test files of the module, and the files of packages for tests.
func testFiles(t *testing.T) (all []*ast.File) {
	t.Helper()
	for _, p := range packages(t) {
		names := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		if testkit(p.path()) || p.inside("test") {
			names = append(names, p.GoFiles...)
		}
		for _, name := range names {
			file, err := parser.ParseFile(fileSet, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, file)
		}
	}
	return all
}

// reports reports whether a statement of the block itself fails a test.
func reports(block *ast.BlockStmt) bool {
	return slices.ContainsFunc(block.List, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf"}, f.Sel.Name)
	})
}

// alternatives returns how many conditions an expression joins with ||, at any depth.
func alternatives(cond ast.Expr) int {
	n := 1
	ast.Inspect(cond, func(node ast.Node) bool {
		if b, ok := node.(*ast.BinaryExpr); ok && b.Op == token.LOR {
			n++
		}
		return true
	})
	return n
}
