package architecture

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestDelete_onlyTheCatalogueImportsAFunction: then a function is deleted by deleting its folder and its line of the catalogue.
func TestDelete_onlyTheCatalogueImportsAFunction(t *testing.T) {
	t.Parallel()
	importers := map[string][]string{}
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			importers[imported] = append(importers[imported], p.ImportPath)
		}
	}
	functions := 0
	for _, p := range packages(t) {
		if _, folder, ok := function(p); !ok || folder == "" || !slices.Contains(importers[p.ImportPath], module) {
			continue
		}
		functions++
		if len(importers[p.ImportPath]) > 1 {
			t.Errorf("%s is imported by %v: without it they do not compile", p.ImportPath, importers[p.ImportPath])
		}
	}
	if functions == 0 {
		t.Error("no function found")
	}
}

// TestDelete_firstFunctionOfEachService deletes one function of each service and compiles the rest.
func TestDelete_firstFunctionOfEachService(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles once per service")
	}
	root := check.Got(filepath.Abs(filepath.Join("..", ".."))).Must(t)
	catalogue := check.Got(os.ReadFile(filepath.Join(root, "catalogue.go"))).Must(t)
	shown := map[string]bool{}
	for _, p := range packages(t) {
		service, folder, ok := function(p)
		if !ok || folder == "" || shown[service] || !strings.Contains(string(catalogue), `"`+p.ImportPath+`"`) {
			continue
		}
		shown[service] = true
		t.Run(service+"-"+folder, func(t *testing.T) {
			overlay := without(t, root, p, string(catalogue))
			out, err := exec.Command("go", "build", "-overlay", overlay, module, strings.TrimSuffix(p.ImportPath, folder)+"...").CombinedOutput()
			if err != nil {
				t.Errorf("the rest does not compile without it:\n%s", out)
			}
		})
	}
}

// without writes an overlay for the go command that removes the files of a package and its lines of the catalogue.
func without(t *testing.T, root string, p pkg, catalogue string) string {
	t.Helper()
	folder := filepath.Base(p.Dir)
	var kept []string
	for line := range strings.Lines(catalogue) {
		if strings.Contains(line, `"`+p.ImportPath+`"`) || strings.TrimSpace(line) == name(p, catalogue, folder)+".Function," {
			continue
		}
		kept = append(kept, line)
	}
	replaced := filepath.Join(t.TempDir(), "catalogue.go")
	check.Must(t, os.WriteFile(replaced, []byte(strings.Join(kept, "")), 0o600))
	replace := map[string]string{filepath.Join(root, "catalogue.go"): replaced}
	for _, files := range [][]string{p.GoFiles, p.TestGoFiles, p.XTestGoFiles} {
		for _, file := range files {
			replace[filepath.Join(p.Dir, file)] = ""
		}
	}
	text := check.Got(json.Marshal(map[string]any{"Replace": replace})).Must(t)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	check.Must(t, os.WriteFile(overlay, text, 0o600))
	return overlay
}

// name returns the name of the package in the catalogue: its alias if it has one.
func name(p pkg, catalogue, folder string) string {
	for line := range strings.Lines(catalogue) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[1] == `"`+p.ImportPath+`"` {
			return fields[0]
		}
	}
	return folder
}
