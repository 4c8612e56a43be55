// Package measure counts properties of Go files that matter for style. It parses the files and does not check types.
package measure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Figures holds the counts of one tree.
type Figures struct {
	Words  int            // words in comments outside tests
	counts map[string]int // by word in lower case
	// Shared is the number of lines of shared/, without tests, test kits and packages of a local run.
	Shared int
	// Unkeyed counts literals of named types without keys, WideUnkeyed those of them with six or more elements; both outside tests.
	// Without types a named slice counts like a struct.
	Unkeyed, WideUnkeyed int
	// Assertions counts the if statements of tests that fail a test, Combined those that join three or more conditions.
	Assertions, Combined int
	// Tables counts the loops of tests over a literal that contain an assertion, TablesWithoutRun those of them that do not call t.Run.
	// A loop over a variable called step is a sequence, whose steps build on each other. One that fails only with t.Fatal(err) prepares.
	Tables, TablesWithoutRun int
	// Tests counts test functions, Sentences those whose name is a sentence: see Sentence.
	Tests, Sentences int
	// Places lists the positions of wide literals without keys, combined assertions, and names of tests that are sentences.
	Places []string
}

// PerThousand returns how often a word occurs in a thousand words of comments.
func (f Figures) PerThousand(word string) float64 {
	if f.Words == 0 {
		return 0
	}
	return 1000 * float64(f.counts[word]) / float64(f.Words)
}

var word = regexp.MustCompile(`[A-Za-z']+`)

// Sentence matches the name of a test that has four words or more and no underscore: TestAKeyBelongsToOneRequest.
var Sentence = regexp.MustCompile(`^Test(?:A|[A-Z][a-z0-9]+){4,}$`)

// localParts are the names of folders for local runs below shared: today all are in shared/local, in older commits they were beside it.
var localParts = []string{"local", "bus", "cluster", "child", "emulated", "emulators", "pg", "push"}

// Tree measures the Go files of a tree, except in folders whose names begin with a dot.
func Tree(tree fs.FS) (Figures, error) {
	f := Figures{counts: map[string]int{}}
	set := token.NewFileSet()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir(), path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		m := measured{&f, set}
		if forTests(name) {
			m.tests(file, strings.HasSuffix(name, "_test.go"))
			return nil
		}
		m.code(file)
		if shared(name) {
			f.Shared += set.Position(file.FileEnd).Line
		}
		return nil
	})
	slices.Sort(f.Places)
	return f, err
}

// forTests reports whether a file belongs to a test or a test kit.
func forTests(name string) bool {
	folder := path.Dir(name)
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "test/") || strings.HasPrefix(name, "shared/testkit/") ||
		slices.ContainsFunc(strings.Split(folder, "/"), func(part string) bool { return strings.HasSuffix(part, "test") })
}

func shared(name string) bool {
	parts := strings.Split(path.Dir(name), "/")
	return parts[0] == "shared" && !slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(localParts, part) })
}

type measured struct {
	*Figures
	set *token.FileSet
}

func (m measured) place(n ast.Node, problem string) {
	m.Places = append(m.Places, m.set.Position(n.Pos()).String()+": "+problem)
}

func (m measured) code(file *ast.File) {
	for _, group := range file.Comments {
		for _, w := range word.FindAllString(group.Text(), -1) {
			m.Words++
			m.counts[strings.ToLower(w)]++
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok || len(literal.Elts) == 0 || !named(literal.Type) {
			return true
		}
		if _, keyed := literal.Elts[0].(*ast.KeyValueExpr); keyed {
			return true
		}
		m.Unkeyed++
		if len(literal.Elts) >= 6 {
			m.WideUnkeyed++
			m.place(literal, "a literal of six or more fields has no keys")
		}
		return true
	})
}

// named reports whether the type of a literal is a named type other than the list fn.Uses.
func named(e ast.Expr) bool {
	switch t := e.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name != "Uses"
	case *ast.Ident, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

func (m measured) tests(file *ast.File, runs bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if slices.ContainsFunc(n.Body.List, fails) {
				m.Assertions++
				if alternatives(n.Cond) >= 3 {
					m.Combined++
					m.place(n, "an assertion joins three or more conditions")
				}
			}
		case *ast.RangeStmt:
			if _, ok := n.X.(*ast.CompositeLit); ok && contains(n.Body, asserts) && !isStep(n.Key) && !isStep(n.Value) {
				m.Tables++
				if !contains(n.Body, func(s ast.Stmt) bool { return calls(s, "Run") }) {
					m.TablesWithoutRun++
				}
			}
		case *ast.FuncDecl:
			if runs && n.Recv == nil && strings.HasPrefix(n.Name.Name, "Test") {
				m.Tests++
				if Sentence.MatchString(n.Name.Name) {
					m.Sentences++
					m.place(n, n.Name.Name+" is a sentence")
				}
			}
		}
		return true
	})
}

// contains reports whether a statement of the block, at any depth, satisfies the condition.
func contains(block *ast.BlockStmt, such func(ast.Stmt) bool) (found bool) {
	ast.Inspect(block, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok && such(s) {
			found = true
		}
		return !found
	})
	return found
}

// fails reports whether a statement fails a test.
func fails(s ast.Stmt) bool { return calls(s, "Error", "Errorf", "Fatal", "Fatalf") }

// asserts reports whether a statement fails a test otherwise than with t.Fatal(err), which preparations use, too.
func asserts(s ast.Stmt) bool {
	if !fails(s) {
		return false
	}
	call := s.(*ast.ExprStmt).X.(*ast.CallExpr)
	if len(call.Args) != 1 || !calls(s, "Fatal") {
		return true
	}
	only, ok := call.Args[0].(*ast.Ident)
	return !ok || only.Name != "err"
}

// isStep reports whether a variable of a loop is called step.
func isStep(e ast.Expr) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == "step"
}

// calls reports whether a statement calls one of these methods.
func calls(s ast.Stmt, methods ...string) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains(methods, f.Sel.Name)
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
