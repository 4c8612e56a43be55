package architecture

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// sdks lists outside packages that only some of our packages may import, with the reason.
var sdks = []struct {
	prefix string
	owners []string
	reason string
}{
	{"cloud.google.com/go/cloudsqlconn", []string{"shared/platform/postgres/cloudsql"}, "its generated code costs a cold start that only binaries on Cloud SQL pay"},
	{"cloud.google.com/go/firestore", []string{"shared/platform/document/firestore"}, "only binaries that keep documents there link it"},
	{"github.com/redis/go-redis", []string{"shared/platform/document/redis"}, "only binaries that keep documents there link it"},
	{"google.golang.org/api/logging", []string{"jobs/timeline/cloudlogging"}, "only the job that prints timelines links it"},
	{"google.golang.org/api/bigquery", []string{"jobs/erase/bigquery"}, "only the job that erases links it"},
	{"cloud.google.com/go/pubsub", []string{"shared/platform/topic/pubsub", "shared/local/emulated"}, "only binaries that publish to Pub/Sub link it"},
	{"google.golang.org/grpc", []string{"shared/platform/document/firestore", "shared/platform/topic/pubsub", "shared/local/emulated"}, "it stays in the packages that call gRPC services"},
	{"github.com/GoogleCloudPlatform/functions-framework-go", []string{"scripts/bundle/archive"}, "only the generated root of a bundle uses it"},
	{"cloud.google.com/go/auth", []string{"shared/platform/identity/google"}, "one place asks Google for identity tokens"},
	{"github.com/cloudevents/sdk-go", []string{"shared/event"}, "one place maps the envelope to CloudEvents"},
	{"github.com/jackc/pgx/v5/pgxpool", []string{"shared/platform/postgres"}, "one place opens pools and sets roles, timeouts and the tenant"},
	{"github.com/go-jose/go-jose", []string{"shared/platform/identity", "shared/local/signing"}, "one place verifies tokens, and one signs those of local runs and tests"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"shared/platform/contract", "shared/testkit/openapitest", "scripts/schemadiff/normal"}, "one place validates events; a test validates responses against OpenAPI; a script compares schemas"},
	{"github.com/sony/gobreaker", []string{"shared/platform/document"}, "one place decides when a store counts as down"},
	{"golang.org/x/time/rate", []string{"shared/platform/fn/ratelimit"}, "one place limits rates"},
	{"github.com/sethvargo/go-envconfig", []string{"shared/platform/env"}, "one place reads configuration"},
	{"golang.org/x/net/publicsuffix", []string{"shared/platform/fn"}, "one place compares sites"},
	{"github.com/uber/h3-go", []string{"functions/demo/sandbox/internal/search"}, "it is C code; other services read indexes of cells as bits, and only their tests compare with it"},
	{"golang.org/x/text/language", []string{"shared/locale"}, "one place negotiates languages"},
	{"github.com/oklog/ulid", []string{"shared/id"}, "one place makes ids"},
	{"go.opentelemetry.io/otel", []string{"shared/platform/fn", "shared/platform/upstream"}, "traces enter in fn and leave in upstream"},
}

func TestSDKs_areImportedByTheirPackagesOnly(t *testing.T) {
	t.Parallel()
	for _, rule := range sdks {
		matched := false
		for _, p := range packages(t) {
			for _, imported := range p.Imports {
				if !strings.HasPrefix(imported, rule.prefix) {
					continue
				}
				if slices.ContainsFunc(rule.owners, p.inside) {
					matched = true
					continue
				}
				t.Errorf("%s imports %s, which belongs to %s: %s", p.ImportPath, imported, rule.owners, rule.reason)
			}
		}
		if !matched {
			t.Errorf("%s no longer imports %s: the rule is stale", rule.owners, rule.prefix)
		}
	}
}

// calls lists functions that only some packages may call, with the reason.
var calls = []struct {
	pkg, name string
	allowed   []string
	reason    string
}{
	{"os", "Getenv", []string{"shared/platform/env", "test/processes"}, "configuration is read in one place"},
	{"os", "LookupEnv", []string{"shared/platform/env"}, "configuration is read in one place"},
	{"time", "Now", []string{"shared/platform/env", "scripts", "test"}, "tests move the clock of package env"},
	{"time", "Sleep", nil, "code waits for a signal, with a deadline"},
	{"fmt", "Println", []string{"scripts", "jobs"}, "fn logs one line per call"},
	{"sync", "WaitGroup", []string{"shared", "scripts", "test", "jobs"}, "a panic in its goroutines ends the process with all its requests: conc.WaitGroup passes it on to the caller"},
	{"http", "Error", []string{"scripts/serve/cloud"}, "only fn writes problem bodies"},
}

func TestCalls_onlyWhereAllowed(t *testing.T) {
	t.Parallel()
	for _, rule := range calls {
		matched := len(rule.allowed) == 0
		for _, s := range sources(t) {
			ast.Inspect(s.file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != rule.name {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); !ok || x.Name != rule.pkg || x.Obj != nil {
					return true
				}
				if slices.ContainsFunc(rule.allowed, s.pkg.inside) {
					matched = true
				} else {
					t.Errorf("%s uses %s.%s: %s", fileSet.Position(n.Pos()), rule.pkg, rule.name, rule.reason)
				}
				return true
			})
		}
		if !matched && rule.name != "LookupEnv" && rule.name != "Getenv" {
			t.Errorf("no package uses %s.%s: the rule is stale", rule.pkg, rule.name)
		}
	}
}

// TestTimeZones_embedded requires the database of time zones in each package that reads one: a base image may lack it, and local times would
// be those of UTC.
func TestTimeZones_embedded(t *testing.T) {
	t.Parallel()
	reads, embeds := map[string]token.Pos{}, map[string]bool{}
	for _, s := range sources(t) {
		for _, imported := range s.file.Imports {
			if imported.Path.Value == `"time/tzdata"` {
				embeds[s.pkg.path()] = true
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "LoadLocation" {
				reads[s.pkg.path()] = n.Pos()
			}
			return true
		})
	}
	for pkg, at := range reads {
		if !embeds[pkg] {
			t.Errorf("%s reads a time zone: its package must import time/tzdata", fileSet.Position(at))
		}
	}
	if len(reads) < 4 {
		t.Errorf("found %d packages that read time zones, want at least 4", len(reads))
	}
}

const (
	maxFunctionLines = 80
	maxFileLines     = 400
	maxHandlerLines  = 100
	maxSharedLines   = 12_150 // of the library, without local runs and test kits
)

func TestSizes(t *testing.T) {
	t.Parallel()
	functions, library := 0, 0
	for _, s := range sources(t) {
		lines := fileSet.Position(s.file.FileEnd).Line
		if s.pkg.inside("shared") && !s.pkg.inside("shared/local") && !s.pkg.inside("shared/testkit") {
			library += lines
		}
		if lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", s.name, lines, maxFileLines)
		}
		if service, name, ok := function(s.pkg); ok && deployed(service, name) {
			functions++
			if lines > maxHandlerLines {
				t.Errorf("%s has %d lines; the file of a deployed function has at most %d", s.name, lines, maxHandlerLines)
			}
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := height(f); n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", s.name, f.Name.Name, n, maxFunctionLines)
			}
			if f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s has an init: importing a package must have no effect", s.name)
			}
		}
	}
	if functions == 0 {
		t.Error("no deployed function found")
	}
	if library > maxSharedLines || library < maxSharedLines/2 {
		t.Errorf("the library has %d lines, want at most %d", library, maxSharedLines)
	}
}

// deployed reports whether a package below functions/ is one deployed function.
func deployed(service, name string) bool {
	return name != "" && service+"/"+name != "sandbox/demo" && !strings.HasPrefix(name, "internal/") && !testkit(name)
}

// TestSizes_ofAllFunctions holds the median of all Go functions at 10 lines or fewer and the 90th percentile at 40 or fewer.
func TestSizes_ofAllFunctions(t *testing.T) {
	t.Parallel()
	var heights []int
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				heights = append(heights, height(f))
			}
		}
	}
	if len(heights) == 0 {
		t.Fatal("no function found")
	}
	slices.Sort(heights)
	half, most := heights[len(heights)/2], heights[len(heights)*9/10]
	t.Logf("%d functions: median %d lines, 90th percentile %d, longest %d", len(heights), half, most, heights[len(heights)-1])
	if half > 10 || most > 40 {
		t.Errorf("the median function has %d lines and the 90th percentile %d, more than 10 and 40", half, most)
	}
}

func height(f *ast.FuncDecl) int {
	return fileSet.Position(f.End()).Line - fileSet.Position(f.Pos()).Line + 1
}

// vague lists package names that do not describe a package.
var vague = []string{"util", "utils", "common", "helper", "helpers", "base", "core", "model", "models", "types", "misc", "lib"}

func TestPackages_areNamedAndDocumented(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		if slices.Contains(vague, p.Name) {
			t.Errorf("%s: the name %q is too vague", p.ImportPath, p.Name)
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestExports_areDocumented(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && !begins(d.Doc, d.Name.Name) {
					t.Errorf("%s: %s has no doc comment that begins with its name", s.name, d.Name.Name)
				}
			case *ast.GenDecl:
				undocumented(t, s, d)
			}
		}
	}
}

// undocumented reports exported types without a doc comment, and exported values without one of their own or of their group.
func undocumented(t *testing.T, s source, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch v := spec.(type) {
		case *ast.TypeSpec:
			if v.Name.IsExported() && !begins(d.Doc, v.Name.Name) && !begins(v.Doc, v.Name.Name) && v.Comment == nil {
				t.Errorf("%s: type %s has no doc comment that begins with its name", s.name, v.Name.Name)
			}
		case *ast.ValueSpec:
			if v.Names[0].IsExported() && d.Doc == nil && v.Doc == nil && v.Comment == nil && d.Tok != token.IMPORT {
				t.Errorf("%s: %s has no doc comment", s.name, v.Names[0].Name)
			}
		}
	}
}

// begins accepts "Name …", "A Name …", "An Name …" and "The Name …".
func begins(doc *ast.CommentGroup, name string) bool {
	if doc == nil {
		return false
	}
	text := doc.Text()
	for _, article := range []string{"", "A ", "An ", "The "} {
		if strings.HasPrefix(text, article+name) {
			return true
		}
	}
	return false
}

// exportedReceiver reports whether a function or method needs a doc comment: methods of unexported types and methods that
// implement a well-known interface need none.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	interfaces := []string{"Error", "Unwrap", "Is", "String", "MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON", "Scan", "Prefix", "Validate", "Value", "ServeHTTP"}
	if slices.Contains(interfaces, d.Name.Name) {
		return false
	}
	receiver := d.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return false
		}
	}
}
