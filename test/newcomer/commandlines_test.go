package newcomer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A commandLine is a line that a document tells its reader to type, and what its output contains.
type commandLine struct{ command, output string }

// commandLines returns the lines of the indented blocks of a document, except those that start the local cloud.
func commandLines(text string) (all []commandLine) {
	for _, m := range indented.FindAllStringSubmatch(text, -1) {
		command, output, _ := strings.Cut(m[1], " # ")
		if !strings.HasPrefix(command, "./scripts/run") {
			all = append(all, commandLine{command: command, output: output})
		}
	}
	return all
}

// TestCommandLines_forSiteBuildersRun types the lines of schemas/http/README.md one after the other into one shell, against the
// local cloud as ./scripts/run starts it.
func TestCommandLines_forSiteBuildersRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the local cloud")
	}
	text := check.Got(os.ReadFile(filepath.Join(root, "schemas", "http", "README.md"))).Must(t)
	lines := commandLines(string(text))
	p := system.Install(t)
	p.Start()
	if wrong := runLines(t, filepath.Dir(p.Local()), lines); len(lines) == 0 || len(wrong) > 0 {
		t.Errorf("of %d lines these do not do what the document says:\n%s", len(lines), strings.Join(wrong, "\n"))
	}
	twins := []commandLine{{command: "false"}, {command: "echo closed", output: "open"}, {command: "echo open", output: "open"}}
	check.Equal(t, len(runLines(t, t.TempDir(), twins)), 2, "wrong lines found among three")
	p.End(syscall.SIGTERM)
}

// runLines runs the lines in one shell, each with its output in a file of its own, and returns those that fail or print something else.
func runLines(t *testing.T, dir string, lines []commandLine) (wrong []string) {
	t.Helper()
	outputs := t.TempDir()
	var script strings.Builder
	for i, l := range lines {
		// Not in a subshell: a line may set what the next one uses.
		fmt.Fprintf(&script, "{ %s\n} >%s/%d 2>&1\necho $? >%s/%d.status\n", l.command, outputs, i, outputs, i)
	}
	shell := exec.Command("bash", "-c", script.String())
	shell.Dir = dir
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, l := range lines {
		out := check.Got(os.ReadFile(filepath.Join(outputs, fmt.Sprint(i)))).Must(t)
		status := check.Got(os.ReadFile(filepath.Join(outputs, fmt.Sprint(i, ".status")))).Must(t)
		if strings.TrimSpace(string(status)) != "0" || !strings.Contains(string(out), l.output) {
			wrong = append(wrong, fmt.Sprintf("%s\n\tstatus %swant %s, got %.300s", l.command, status, l.output, out))
		}
	}
	return wrong
}
