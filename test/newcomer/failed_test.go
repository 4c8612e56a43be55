package newcomer

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestFailed runs the functions with which ./scripts/test ends a failed run: log lines of calls are gone, and the last lines name what
// failed and the command that repeats it.
func TestFailed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "scripts/test"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n# without_calls ")
	functions, _, ends := strings.Cut(after, "\n}\n")
	if !found || !ends {
		t.Fatal("scripts/test has no functions without_calls and say_failed")
	}
	const printed = `ok  	melmastoon.ghasi.io/functions/a	0.1s
{"time":"2026-11-20T12:00:00Z","severity":"INFO","function":"a-b"}
--- FAIL: TestOne (0.01s)
    one_test.go:7: got 1, want 2
{"time":"2026-11-20T12:00:00Z","severity":"ERROR","function":"a-b"}
FAIL
FAIL	melmastoon.ghasi.io/functions/b	0.2s
# melmastoon.ghasi.io/functions/c
c.go:1:1: expected 'package'
FAIL	melmastoon.ghasi.io/functions/c [build failed]
ok  	melmastoon.ghasi.io/functions/d	0.1s
`
	output := filepath.Join(t.TempDir(), "output")
	command := exec.CommandContext(t.Context(), "bash", "-c", "# "+functions+"\n}\ntee "+output+" | without_calls | grep -c time\nfailed=1 output="+output+"\nsay_failed")
	command.Stdin = strings.NewReader(printed)
	got, err := command.CombinedOutput()
	if err == nil {
		t.Error("exit status = 0, want a failure")
	}
	const want = `0
What failed:
--- FAIL: TestOne (0.01s)
    one_test.go:7: got 1, want 2
# melmastoon.ghasi.io/functions/c
c.go:1:1: expected 'package'
Failed, to repeat:
./scripts/test melmastoon.ghasi.io/functions/b -run '^(TestOne)$'
./scripts/test melmastoon.ghasi.io/functions/c
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSoak_parts checks that every part of ./scripts/soak is explained, has a time, and names tests that exist.
func TestSoak_parts(t *testing.T) {
	t.Parallel()
	script := string(check.Got(os.ReadFile(filepath.Join(root, "scripts/soak"))).Must(t))
	parts := regexp.MustCompile(`(?m)^\t(\w+)\) echo (.*) ;;$`).FindAllStringSubmatch(script, -1)
	if len(parts) < 5 {
		t.Errorf("%d parts, want at least 5", len(parts))
	}
	for _, part := range parts {
		check.Contains(t, script, "\n#   "+part[1]+" ")
		check.Contains(t, script, "["+part[1]+"]=")
		for _, pattern := range unmatched(t, "./scripts/test "+part[2]) {
			t.Errorf("%s: no test is called %s", part[1], pattern)
		}
	}
}
