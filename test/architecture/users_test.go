package architecture

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// forOthers are exported names that no other code of ours names, and why they are there all the same.
var forOthers = []struct{ name, reason string }{
	{"schemas.HTTP", "the documents are for front ends; what holds us to them runs in tests"},
	{"shared/platform/cache.Forget", "what a process begins without cannot be tried in a process that has begun"},
	{"shared/local/emulators.Redis", "it is started as the others are, which the local cloud starts too"},
	{"shared/local/emulators.Missing", "who is told of a missing emulator by a test is told as the local cloud tells it"},
	{"shared/platform/identity/google.Open", "a bundle's generated root names it"},
	{"shared/platform/fn/process.Start", "a bundle's generated root names it"},
	{"scripts/story/life.Everything", "a journey that fails tells all that happened"},
}

// TestWhatIsExportedIsUsed wants each exported function, type and variable named by something that ships: what only tests name
// is an export_test.go's or a test room's. Methods and constants are left out: they complete an interface, or a set.
func TestWhatIsExportedIsUsed(t *testing.T) {
	t.Parallel()
	used := named(t)
	exempt := func(name string) bool {
		return slices.ContainsFunc(forOthers, func(o struct{ name, reason string }) bool { return o.name == name })
	}
	declared := map[string]bool{}
	for _, s := range shipped(t) {
		for _, name := range exports(s.file) {
			full := s.pkg.path() + "." + name
			declared[full] = true
			if !used[full] && !exempt(full) {
				t.Errorf("%s exports %s, which nothing names but tests", s.name, name)
			}
		}
	}
	for _, o := range forOthers {
		if !declared[o.name] || used[o.name] {
			t.Errorf("%s is gone, or named by what ships: its exception is stale (%s)", o.name, o.reason)
		}
	}
}

// shipped are the sources that are not there for tests.
func shipped(t *testing.T) []source {
	return slices.DeleteFunc(slices.Clone(sources(t)), func(s source) bool { return testRoom(s.pkg.path()) || s.pkg.inside("test") })
}

// exports are the functions, types and variables that a file declares for others.
func exports(file *ast.File) (names []string) {
	keep := func(name *ast.Ident) {
		if name.IsExported() {
			names = append(names, name.Name)
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				keep(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch v := spec.(type) {
				case *ast.TypeSpec:
					keep(v.Name)
				case *ast.ValueSpec:
					if d.Tok.String() == "var" {
						for _, name := range v.Names {
							keep(name)
						}
					}
				}
			}
		}
	}
	return names
}

// roomsOf are our packages that a file imports, by what it calls them.
func roomsOf(file *ast.File) map[string]string {
	rooms := map[string]string{}
	for _, imported := range file.Imports {
		path, ours := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), module)
		path = strings.TrimPrefix(path, "/")
		name := path[strings.LastIndexByte(path, '/')+1:]
		if path == "" {
			name, _, _ = strings.Cut(module, ".")
		}
		if imported.Name != nil {
			name = imported.Name.Name
		}
		if ours {
			rooms[name] = path
		}
	}
	return rooms
}

// named are the names that what ships uses, of its own package or of another: "shared/platform/fn.Spec".
func named(t *testing.T) map[string]bool {
	used := map[string]bool{}
	for _, s := range shipped(t) {
		rooms := roomsOf(s.file)
		own := map[*ast.Ident]bool{} // where a name is declared it is not used
		for _, name := range declarations(s.file) {
			own[name] = true
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch v := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := v.X.(*ast.Ident); ok {
					if room, ours := rooms[x.Name]; ours {
						used[room+"."+v.Sel.Name] = true
					}
				}
			case *ast.Ident:
				used[s.pkg.path()+"."+v.Name] = used[s.pkg.path()+"."+v.Name] || !own[v]
			}
			return true
		})
	}
	return used
}

// declarations are the names of a file's functions, methods, types and variables, and those that methods and fields have: which
// may be called like a name of the package and are not it.
func declarations(file *ast.File) (names []*ast.Ident) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch v := n.(type) {
		case *ast.FuncDecl:
			names = append(names, v.Name)
		case *ast.TypeSpec:
			names = append(names, v.Name)
		case *ast.ValueSpec:
			names = append(names, v.Names...)
		case *ast.Field:
			names = append(names, v.Names...)
		case *ast.SelectorExpr:
			names = append(names, v.Sel)
		case *ast.KeyValueExpr:
			if key, ok := v.Key.(*ast.Ident); ok {
				names = append(names, key)
			}
		}
		return true
	})
	return names
}
