package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// module is the path of this module.
const module = "melmastoon.ghasi.io"

// framework is the module that the builder's program and the generated roots import.
const framework = "github.com/GoogleCloudPlatform/functions-framework-go"

// A Tree is the module's import graph: its packages, their files and imports.
type Tree struct {
	dir      string
	packages map[string]pkg
	modules  map[string]modules // by the outside packages for which they were computed
}

// A pkg is one package in the output of `go list`.
type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	EmbedFiles []string
	Imports    []string
}

// inside reports whether the package belongs to this module.
func (p pkg) inside() bool {
	return p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/")
}

// files returns the package's files without tests.
func (p pkg) files() []string { return slices.Concat(p.GoFiles, p.EmbedFiles) }

// Read reads the module in a folder, once for all bundles.
func Read(ctx context.Context, dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	out, err := output(ctx, dir, "go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,EmbedFiles,Imports",
		"./...", framework+"/functions", framework+"/funcframework")
	if err != nil {
		return nil, err
	}
	t := &Tree{dir: dir, packages: map[string]pkg{}, modules: map[string]modules{}}
	for d := jsontext.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := json.UnmarshalDecode(d, &p); {
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("bundle: go list: %w", err)
		}
		t.packages[p.ImportPath] = p
	}
}

// verb returns the import path of a function's package: the one among the imports of the catalogue that ends with its name.
func (t *Tree) verb(name string) (string, error) {
	for _, path := range t.packages[module].Imports {
		if strings.HasSuffix(path, "/"+strings.ReplaceAll(name, "-", "/")) {
			return path, nil
		}
	}
	return "", fmt.Errorf("bundle: the catalogue imports no package of %s", name)
}

// needs follows imports. It returns the packages of this module that they reach, in order, and the outside packages that
// those import directly.
func (t *Tree) needs(imports []string) (ours []pkg, outside []string, err error) {
	seen, theirs := map[string]bool{}, map[string]bool{}
	for next := slices.Clone(imports); len(next) > 0; next = next[1:] {
		p, known := t.packages[next[0]]
		switch {
		case !known:
			return nil, nil, fmt.Errorf("bundle: unknown package %s", next[0])
		case seen[p.ImportPath] || p.Standard:
			continue
		case !p.inside():
			theirs[p.ImportPath] = true
			continue
		}
		seen[p.ImportPath] = true
		ours = append(ours, p)
		next = append(next, p.Imports...)
	}
	slices.SortFunc(ours, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return ours, slices.Sorted(maps.Keys(theirs)), nil
}

// A modules is a go.mod and its go.sum.
type modules struct{ mod, sum []byte }

// require returns the go.mod of a module with only these outside imports, in the versions of this module.
func (t *Tree) require(ctx context.Context, outside []string) (m modules, err error) {
	key := strings.Join(outside, "\n")
	if m, ok := t.modules[key]; ok {
		return m, nil
	}
	dir, err := os.MkdirTemp("", "bundle-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	var source strings.Builder
	source.WriteString("package all\n")
	for _, path := range outside {
		fmt.Fprintf(&source, "import _ %q\n", path)
	}
	err = errors.Join(os.WriteFile(filepath.Join(dir, "all.go"), []byte(source.String()), 0o600),
		copyFile(dir, t.dir, "go.mod"), copyFile(dir, t.dir, "go.sum"))
	if err != nil {
		return m, err
	}
	if _, err := output(ctx, dir, "go", "mod", "tidy"); err != nil {
		return m, err
	}
	var errs [2]error
	m.mod, errs[0] = os.ReadFile(filepath.Join(dir, "go.mod"))
	m.sum, errs[1] = os.ReadFile(filepath.Join(dir, "go.sum"))
	t.modules[key] = m
	return m, errors.Join(errs[:]...)
}

func copyFile(to, from, name string) error {
	content, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, name), content, 0o600)
}

// output runs a command and returns its standard output. Its standard error is in the error.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("bundle: %s: %w: %s", strings.Join(append([]string{name}, args[:min(2, len(args))]...), " "), err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out, nil
}
