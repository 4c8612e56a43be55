package errordocs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
)

// A declaration has the statuses and details of all faults with one code.
type declaration struct {
	statuses []int
	details  []string
}

// kindsFile declares the kinds of faults as constants, numbered in their order.
const kindsFile = "shared/fault/kind.go"

// kindsOf returns the kinds by the names of their constants.
func kindsOf(source fs.FS) (map[string]fault.Kind, error) {
	file, err := parse(source, kindsFile)
	if err != nil {
		return nil, err
	}
	kinds := map[string]fault.Kind{}
	for _, d := range file.Decls {
		constants, ok := d.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for i, spec := range constants.Specs {
			value := spec.(*ast.ValueSpec)
			if i == 0 && selected(value.Type) != "Kind" {
				break
			}
			kinds[value.Names[0].Name] = fault.Kind(i)
		}
	}
	if len(kinds) == 0 {
		return nil, fmt.Errorf("errordocs: %s declares no kinds", kindsFile)
	}
	return kinds, nil
}

func parse(source fs.FS, name string) (*ast.File, error) {
	text, err := fs.ReadFile(source, name)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
}

// declarations returns the faults that the Go files of functions and shared declare, by code.
func declarations(source fs.FS) (map[string]*declaration, error) {
	kinds, err := kindsOf(source)
	if err != nil {
		return nil, err
	}
	found := map[string]*declaration{}
	for _, root := range []string{"functions", "shared"} {
		err := fs.WalkDir(source, root, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parse(source, name)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					note(found, kinds, call)
				}
				return true
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// note adds the fault of a call fault.New(kind, code, detail), if its code is a literal. A detail that is not a literal is left out.
func note(found map[string]*declaration, kinds map[string]fault.Kind, call *ast.CallExpr) {
	if name := selected(call.Fun); name != "New" || len(call.Args) != 3 {
		return
	}
	kind, known := kinds[selected(call.Args[0])]
	code, detail := literal(call.Args[1]), literal(call.Args[2])
	if !known || code == "" {
		return
	}
	d := found[code]
	if d == nil {
		d = &declaration{details: []string{}}
		found[code] = d
	}
	if status := kind.Status(); !slices.Contains(d.statuses, status) {
		d.statuses = append(d.statuses, status)
		slices.Sort(d.statuses)
	}
	if detail != "" && !slices.Contains(d.details, detail) {
		d.details = append(d.details, detail)
		slices.Sort(d.details)
	}
}

// selected returns the identifier of a name, without its package.
func selected(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return text
}
