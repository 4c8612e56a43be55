// Package sabotage changes the code that holds each guarantee, one mutation after another. Each time a test must fail: a test that
// passes does not show the guarantee.
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

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
)

// A guarantee is a row of PROOFS.md with its mutations.
type guarantee struct {
	name      string
	mutations []mutation
}

// A mutation is a change of one file after which a test must fail.
type mutation struct {
	name      string // what the changed code does
	file      string
	from, to  string // from must occur once in the file
	pkg, test string // the package and the test that fails
}

var guarantees = []guarantee{
	noOversell, noLostEvent, orderPerKey, onceEffect, singleUseHandoff, tenantIsolation, noPII, durableIdempotency, boundedResponseTime,
	moneySettled, authenticTokens, currentResponses, botsChallenged, compatibleContracts,
}

const root = "../.."

// TestMutations_apply finds mutations whose original text or test is gone, and guarantees that PROOFS.md does not list.
func TestMutations_apply(t *testing.T) {
	t.Parallel()
	proofs := read(t, filepath.Join(root, "PROOFS.md"))
	seen := map[string]bool{}
	for _, g := range guarantees {
		if len(g.mutations) == 0 || !strings.Contains(proofs, "| **"+g.name+"** |") {
			t.Errorf("%s: want a row in PROOFS.md and a mutation", g.name)
		}
		for _, m := range g.mutations {
			if n := strings.Count(read(t, m.path()), m.from); n != 1 || m.from == m.to {
				t.Errorf("%s: the text to change occurs %d times in %s, want once and a different text in its place", m.name, n, m.file)
			}
			if !m.hasTest(t) {
				t.Errorf("%s: %s has no %s", m.name, m.pkg, m.test)
			}
			if seen[m.name] {
				t.Errorf("two mutations have the name %q", m.name)
			}
			seen[m.name] = true
		}
	}
}

// TestProofs_testsExist finds names in PROOFS.md of tests that do not exist.
func TestProofs_testsExist(t *testing.T) {
	t.Parallel()
	var tests []string
	check.Must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for _, found := range declared.FindAllStringSubmatch(read(t, path), -1) {
				tests = append(tests, found[1])
			}
		}
		return err
	}))
	named := regexp.MustCompile(`\bTest\w+`).FindAllString(read(t, filepath.Join(root, "PROOFS.md")), -1)
	if len(named) == 0 {
		t.Error("PROOFS.md names no test")
	}
	for _, name := range named {
		if !slices.Contains(tests, name) {
			t.Errorf("PROOFS.md names %s, which is not a test", name)
		}
	}
}

var declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// TestMutations_noticed applies each mutation and runs its test. The mutations run one after another: some tests need concurrency,
// which a busy machine does not have.
func TestMutations_noticed(t *testing.T) {
	if !seedrand.Full(t) {
		t.Skip("builds every mutation: ./scripts/test --full")
	}
	for _, g := range guarantees {
		for _, m := range g.mutations {
			t.Run(m.name, func(t *testing.T) {
				output, err := m.run(t, m.build(t))
				_, ended := errors.AsType[*exec.ExitError](err)
				switch {
				case err == nil:
					t.Errorf("%s: %s passes", g.name, m.test)
				case !ended || !strings.Contains(output, "--- FAIL: "+m.test+" "):
					t.Errorf("%s: %s did not fail, but ended: %v\n%s", g.name, m.test, err, output)
				default:
					t.Logf("%s: %s", m.test, strings.TrimSpace(firstMessage.FindString(output)))
				}
			})
		}
	}
}

// firstMessage matches a message of a failing test.
var firstMessage = regexp.MustCompile(`(?m)^ +\w+\.go:\d+: .*$`)

func (m mutation) path() string { return filepath.Join(root, filepath.FromSlash(m.file)) }

// hasTest reports whether the package has the test.
func (m mutation) hasTest(t *testing.T) bool {
	t.Helper()
	files := check.Got(filepath.Glob(filepath.Join(root, filepath.FromSlash(m.pkg), "*_test.go"))).Must(t)
	return slices.ContainsFunc(files, func(path string) bool {
		return strings.Contains(read(t, path), "\nfunc "+m.test+"(t *testing.T)")
	})
}

// build compiles the package's tests with the changed file. The tree itself stays as it is.
func (m mutation) build(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	file := check.Got(filepath.Abs(m.path())).Must(t)
	changed, overlayFile := filepath.Join(dir, "changed"), filepath.Join(dir, "overlay.json")
	overlay := check.Got(json.Marshal(map[string]map[string]string{"Replace": {file: changed}})).Must(t)
	check.Must(t, os.WriteFile(changed, []byte(strings.Replace(read(t, m.path()), m.from, m.to, 1)), 0o600))
	check.Must(t, os.WriteFile(overlayFile, overlay, 0o600))
	program = filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-o", program, "./"+m.pkg)
	build.Dir = root
	output, err := build.CombinedOutput()
	check.Must(t, err, "the mutation does not compile: %s", output)
	return program
}

// run executes the test with the ordinary numbers of repetitions.
func (m mutation) run(t *testing.T, program string) (output string, err error) {
	t.Helper()
	test := exec.CommandContext(t.Context(), program, "-test.run", "^"+m.test+"$", "-test.timeout", "2m")
	test.Dir = filepath.Join(root, filepath.FromSlash(m.pkg))
	test.Env = append(os.Environ(), "MELMASTOON_FULL=")
	out, err := test.CombinedOutput()
	return string(out), err
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(check.Got(os.ReadFile(path)).Must(t))
}
