package errordocs

import (
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

// kinds maps the names of the constants of package fault to their kinds.
var kinds = map[string]fault.Kind{
	"Internal": fault.Internal, "Invalid": fault.Invalid, "Unauthenticated": fault.Unauthenticated, "PaymentRequired": fault.PaymentRequired,
	"Forbidden": fault.Forbidden, "NotFound": fault.NotFound, "MethodNotAllowed": fault.MethodNotAllowed, "Conflict": fault.Conflict,
	"Gone": fault.Gone, "PreconditionFailed": fault.PreconditionFailed, "TooLarge": fault.TooLarge, "UnsupportedMedia": fault.UnsupportedMedia,
	"Unprocessable": fault.Unprocessable, "TooMany": fault.TooMany, "Unavailable": fault.Unavailable, "Timeout": fault.Timeout,
}

// declarations returns the faults that the Go files of functions and shared declare, by code.
func declarations(source fs.FS) (map[string]*declaration, error) {
	found := map[string]*declaration{}
	for _, root := range []string{"functions", "shared"} {
		err := fs.WalkDir(source, root, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(source, name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					note(found, call)
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
func note(found map[string]*declaration, call *ast.CallExpr) {
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
