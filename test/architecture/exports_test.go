package architecture

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// unnamed lists exported names that no other code of the module uses, and why they are exported.
var unnamed = []struct{ name, reason string }{
	{"shared/local/emulators.Redis", "tests start it like the other emulators"},
	{"shared/local/emulators.Missing", "tests report a missing emulator in the words of the local cloud"},
	{"shared/platform/fn/process.Start", "a bundle's generated root names it"},
	{"jobs/command/version.Ready", "a bundle's generated root names it"},
	{"scripts/schemadiff/evolution.Rules", "the corpus of edits must notice each missing rule"},
	{"scripts/schemadiff/normal.Steps", "the corpus of another package must notice each missing step"},
	{"jobs/timeline/booking.Everything", "a failing journey prints all events"},
}

// TestExports_areUsed wants each exported function, type and variable to be used outside tests: names for tests belong into an
// export_test.go or into shared/testkit. Methods and constants are exempt: they complete an interface or a set.
func TestExports_areUsed(t *testing.T) {
	t.Parallel()
	used := named(t)
	exempt := func(name string) bool {
		return slices.ContainsFunc(unnamed, func(o struct{ name, reason string }) bool { return o.name == name })
	}
	declared := map[string]bool{}
	for _, s := range shipped(t) {
		for _, name := range exports(s.file) {
			full := s.pkg.path() + "." + name
			declared[full] = true
			if !used[full] && !exempt(full) {
				t.Errorf("%s exports %s, which only tests use", s.name, name)
			}
		}
	}
	for _, o := range unnamed {
		if !declared[o.name] || used[o.name] {
			t.Errorf("%s does not exist, or is used outside tests: its exception is stale (%s)", o.name, o.reason)
		}
	}
}

// shipped returns the sources that are not for tests.
func shipped(t *testing.T) []source {
	return slices.DeleteFunc(slices.Clone(sources(t)), func(s source) bool { return testkit(s.pkg.path()) || s.pkg.inside("test") })
}

// exports returns the names of the exported functions, types and variables of a file.
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

// importsOf returns the packages of the module that a file imports, by their names in the file.
func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
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
			imports[name] = path
		}
	}
	return imports
}

// named returns the names that code outside tests uses, of its own package or of another: "shared/platform/fn.Spec".
func named(t *testing.T) map[string]bool {
	used := map[string]bool{}
	for _, s := range shipped(t) {
		imports := importsOf(s.file)
		own := map[*ast.Ident]bool{} // a declaration is not a use
		for _, name := range declarations(s.file) {
			own[name] = true
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch v := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := v.X.(*ast.Ident); ok {
					if path, ours := imports[x.Name]; ours {
						used[path+"."+v.Sel.Name] = true
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

// declarations returns the identifiers that declare the functions, methods, types, variables and fields of a file, and those that
// select methods and fields: they may equal a name of the package without meaning it.
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
