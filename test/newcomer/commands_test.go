package newcomer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A command is what a document asks its reader to type.
type command struct {
	document string
	program  string // below scripts/
	flags    []string
}

var program = regexp.MustCompile(`^(?:go run )?\./scripts/([a-z]+)`)

// commands are those of our own programs. What stands alone and begins with a dash belongs to the program named before it.
func (d document) commands() (all []command) {
	for _, snippet := range d.code() {
		switch m := program.FindStringSubmatch(snippet); {
		case m != nil:
			all = append(all, command{d.name, m[1], flagsOf(snippet)})
		case strings.HasPrefix(snippet, "--") && len(all) > 0:
			last := &all[len(all)-1]
			last.flags = append(last.flags, flagsOf(snippet)...)
		}
	}
	return all
}

var written = regexp.MustCompile(`(?:^|[ \[])--?([a-z][a-z-]*)`)

// flagsOf are the flags of a command, as far as they are the program's own: what follows a path is handed on.
func flagsOf(snippet string) (names []string) {
	own, _, _ := strings.Cut(strings.TrimPrefix(snippet, "go run "), " ./")
	for _, m := range written.FindAllStringSubmatch(own, -1) {
		names = append(names, m[1])
	}
	return names
}

// known are the flags that a program takes: --version (TestVersion_programs), those that its code declares, and for a script those that it names outside of comments
// and those of the program that it becomes.
func known(t *testing.T, name string) (flags []string) {
	t.Helper()
	defer func() { flags = append(flags, "version") }()
	path := filepath.Join(root, "scripts", name)
	if info, err := os.Stat(path); err != nil {
		t.Errorf("scripts/%s is not there", name)
		return nil
	} else if info.IsDir() {
		return declared(t, path)
	}
	text := check.Got(os.ReadFile(path)).Must(t)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, m := range written.FindAllStringSubmatch(line, -1) {
			flags = append(flags, m[1])
		}
		if _, becomes, ok := strings.Cut(line, "exec .local/bin/"); ok {
			flags = append(flags, declared(t, filepath.Join(root, "scripts", strings.Fields(becomes)[0]))...)
		}
	}
	return flags
}

// declared are the names that a program hands to package flag.
func declared(t *testing.T, dir string) (names []string) {
	t.Helper()
	files := check.Got(filepath.Glob(filepath.Join(dir, "*.go"))).Must(t)
	kinds := regexp.MustCompile(`^(Bool|Int|String|Duration|Func|BoolFunc|Text|Float64|Uint)(Var)?$`)
	for _, file := range files {
		parsed := check.Got(parser.ParseFile(token.NewFileSet(), file, nil, 0)).Must(t)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if method, ok := call.Fun.(*ast.SelectorExpr); !ok || !kinds.MatchString(method.Sel.Name) {
				return true
			}
			for _, arg := range call.Args[:min(2, len(call.Args))] { // before it may be the variable
				if name, ok := arg.(*ast.BasicLit); ok && name.Kind == token.STRING {
					if name, err := strconv.Unquote(name.Value); err == nil {
						names = append(names, name)
					}
					break
				}
			}
			return true
		})
	}
	return names
}

func TestCommands_flags(t *testing.T) {
	t.Parallel()
	shown := 0
	for _, d := range documents(t) {
		for _, c := range d.commands() {
			takes := known(t, c.program)
			for _, flag := range c.flags {
				shown++
				if !slices.Contains(takes, flag) {
					t.Errorf("%s shows scripts/%s with --%s; it takes %v", c.document, c.program, flag, takes)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no flag is shown")
	}
}

var (
	patterns = regexp.MustCompile(`-(run|bench) (?:'([^']+)'|(\S+))`)
	place    = regexp.MustCompile(`\./\S+`)
)

// unmatched returns the patterns of a command (go test ./shared/platform/outbox -run 'Relay|Order') that match no test or
// benchmark of its packages: go test would run no test and succeed.
func unmatched(t *testing.T, snippet string) (missing []string) {
	t.Helper()
	var there []string
	for _, dir := range place.FindAllString(snippet, -1) {
		there = append(there, tests(t, dir)...)
	}
	for _, m := range patterns.FindAllStringSubmatch(snippet, -1) {
		for pattern := range strings.SplitSeq(strings.ReplaceAll(m[2]+m[3], `\|`, "|"), "|") {
			own := regexp.MustCompile(pattern)
			kind := map[string]string{"run": "Test", "bench": "Benchmark"}[m[1]]
			if pattern != "xxx" && !slices.ContainsFunc(there, func(name string) bool { return strings.HasPrefix(name, kind) && own.MatchString(name) }) {
				missing = append(missing, pattern)
			}
		}
	}
	return missing
}

var declaration = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)

// tests are the names of the tests of a package, or of all packages below a folder that ends in /... .
func tests(t *testing.T, dir string) (names []string) {
	t.Helper()
	dir, below := strings.CutSuffix(dir, "/...")
	top := filepath.Join(root, dir)
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != top && !below:
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return err
	})
	check.Must(t, err)
	return names
}

func TestCommands_runTests(t *testing.T) {
	t.Parallel()
	for _, d := range documents(t) {
		for _, snippet := range d.code() {
			if !strings.Contains(snippet, "<") && strings.Contains(snippet, "./") {
				for _, pattern := range unmatched(t, snippet) {
					t.Errorf("%s: %s: no test is called %s", d.name, snippet, pattern)
				}
			}
		}
	}
	for snippet, want := range map[string][]string{
		`go test ./test/newcomer -v -run 'Commands_findsMistakes\|Nowhere'`: {"Nowhere"},
		`go test -run xxx -bench TenSteps ./test/newcomer`:                  {"TenSteps"},
		`./scripts/test ./test/newcomer -run Guide_tenSteps`:                nil,
		`go test ./scripts/bundle/... -run Nowhere`:                         {"Nowhere"},
	} {
		t.Run(snippet, func(t *testing.T) { check.Equal(t, unmatched(t, snippet), want) })
	}
}

// TestCommands_findsMistakes shows that each check above can fail.
func TestCommands_findsMistakes(t *testing.T) {
	t.Parallel()
	d := document{name: "wrong.md", text: "See [a](shared/nowhere), `functions/<service>/nothing`, `jobs/{prune,nothing}` and [b](shared/platform/fn).\n\n" +
		"    ./scripts/run --sooner   # a comment\n\nThen `go run ./scripts/bundle --all --wrapped`, `--port 1` or `./scripts/test --full ./shared/platform/outbox -run Relay`.\n"}
	var missing []string
	for _, snippet := range append(d.links(), d.code()...) {
		for _, path := range paths(t, snippet) {
			if !d.exists(path) {
				missing = append(missing, path)
			}
		}
	}
	check.Equal(t, missing, []string{"shared/nowhere", "functions/<service>/nothing", "jobs/{prune,nothing}"})
	var unknown []string
	for _, c := range d.commands() {
		takes := known(t, c.program)
		for _, flag := range c.flags {
			if !slices.Contains(takes, flag) {
				unknown = append(unknown, c.program+" "+flag)
			}
		}
	}
	slices.Sort(unknown)
	check.Equal(t, unknown, []string{"bundle port", "bundle wrapped", "run sooner"})
}
