// Package architecture checks the structure of the module: which packages import which, how large they are, and that code,
// catalogue and documents agree. Each rule states its reason and fails when it no longer matches anything.
package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

const module = "melmastoon.ghasi.io"

// A pkg is one package of the module as the go command lists it.
type pkg struct {
	ImportPath, Dir, Doc, Name         string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// path is the package's path inside the module: "shared/platform/fn", or "" for the root.
func (p pkg) path() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// inside reports whether the package is the named folder or below it.
func (p pkg) inside(folder string) bool {
	return p.path() == folder || strings.HasPrefix(p.path(), folder+"/")
}

// A source is one parsed Go file that is not a test.
type source struct {
	pkg  pkg
	name string // relative to the module's root
	file *ast.File
}

var tree = sync.OnceValues(func() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,Name,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
})

var fileSet = token.NewFileSet()

var files = sync.OnceValues(func() ([]source, error) {
	pkgs, err := tree()
	if err != nil {
		return nil, err
	}
	var all []source
	for _, p := range pkgs {
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fileSet, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			all = append(all, source{p, strings.TrimPrefix(p.path()+"/"+name, "/"), file})
		}
	}
	return all, nil
})

func packages(t *testing.T) []pkg {
	t.Helper()
	return check.Got(tree()).Must(t)
}

func sources(t *testing.T) []source {
	t.Helper()
	return check.Got(files()).Must(t)
}
