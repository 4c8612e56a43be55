// Package sabotage takes out of our own code, one after another, what its promises stand on. Each time the test that
// holds the promise must fail: one that passes proves nothing.
package sabotage

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/test/seedrand"
)

const root = "../.."

// TestSabotage_variantsApply finds variants whose original text is gone, and guarantees without a variant.
func TestSabotage_variantsApply(t *testing.T) {
	t.Parallel()
	proofs := read(t, filepath.Join(root, "PROOFS.md"))
	kept, named := map[string]bool{}, map[string]bool{}
	for _, v := range variants {
		if n := strings.Count(read(t, v.path()), v.from); n != 1 || v.from == v.to {
			t.Errorf("%s: what it changes is in %s %d times, want once", v.name, v.file, n)
		}
		if !v.known(t) {
			t.Errorf("%s: %s has no %s", v.name, v.in, v.notices)
		}
		if named[v.name] {
			t.Errorf("two variants have the name %s", v.name)
		}
		named[v.name] = true
		if !slices.Contains(promises, v.promise) {
			t.Errorf("%s: %s is not in promises", v.name, v.promise)
		}
		kept[v.promise] = true
	}
	for _, promise := range promises {
		if !kept[promise] || !strings.Contains(proofs, "| **"+promise+"** |") {
			t.Errorf("%s: want a row in PROOFS.md and a variant", promise)
		}
	}
}

// TestProofs_testsExist keeps PROOFS.md from naming what has been renamed.
func TestProofs_testsExist(t *testing.T) {
	t.Parallel()
	var tests []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for _, found := range declared.FindAllStringSubmatch(read(t, path), -1) {
				tests = append(tests, found[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\bTest\w+`).FindAllString(read(t, filepath.Join(root, "PROOFS.md")), -1)
	if len(named) == 0 {
		t.Error("PROOFS.md names no test")
	}
	for _, name := range named {
		if !slices.Contains(tests, name) {
			t.Errorf("PROOFS.md names %s, which is no test", name)
		}
	}
}

var declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// TestSabotage_variants makes each variant and runs its test. They follow each other: some need a crowd, and a
// machine that is busy with another variant has none.
func TestSabotage_variants(t *testing.T) {
	if !seedrand.Full(t) {
		t.Skip("builds every variant: ./scripts/test --full")
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			words, err := v.run(t, v.build(t))
			_, ended := errors.AsType[*exec.ExitError](err)
			switch {
			case err == nil:
				t.Errorf("%s: %s passes all the same", v.promise, v.notices)
			case !ended || !strings.Contains(words, "--- FAIL: "+v.notices+" "):
				t.Errorf("%s: %s did not fail, but ended: %v\n%s", v.promise, v.notices, err, words)
			default:
				t.Logf("%s: %s", v.notices, strings.TrimSpace(complaint.FindString(words)))
			}
		})
	}
}

// complaint is what a test says first.
var complaint = regexp.MustCompile(`(?m)^ +\w+\.go:\d+: .*$`)

func (v variant) path() string { return filepath.Join(root, filepath.FromSlash(v.file)) }

// known reports whether the package has the test.
func (v variant) known(t *testing.T) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(v.in), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(path string) bool {
		return strings.Contains(read(t, path), "\nfunc "+v.notices+"(t *testing.T)")
	})
}

// build makes the package's tests with the variant in its file's place. The tree itself stays as it is, and a variant that
// does not compile is no variant.
func (v variant) build(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	file, changed := absolute(t, v.path()), filepath.Join(dir, "changed")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, changed, strings.Replace(read(t, v.path()), v.from, v.to, 1))
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program = filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./"+v.in)
	build.Dir = root
	if words, err := build.CombinedOutput(); err != nil {
		t.Fatalf("it does not compile: %v\n%s", err, words)
	}
	return program
}

// run has the program run the one test. Its counts are the ordinary ones.
func (v variant) run(t *testing.T, program string) (words string, err error) {
	t.Helper()
	test := exec.CommandContext(t.Context(), program, "-test.run", "^"+v.notices+"$", "-test.timeout", "2m")
	test.Dir = filepath.Join(root, filepath.FromSlash(v.in))
	test.Env = append(os.Environ(), "MELMASTOON_FULL=")
	out, err := test.CombinedOutput()
	return string(out), err
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
