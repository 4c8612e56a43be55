package contracts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/npm"
)

const root = "../.."

// TestOpenAPIDocuments_passTheLinter runs Redocly CLI with lint/redocly.yaml.
func TestOpenAPIDocuments_passTheLinter(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(root + "/schemas/http/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for i, file := range files {
		files[i] = absolute(t, file)
	}
	if output, err := lint(t, files...); err != nil {
		t.Errorf("%v\n%s", err, output)
	}

	text := check.Got(os.ReadFile(files[0])).Must(t)
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	unnamed := strings.Replace(string(text), "operationId: ", "summary_: ", 1)
	check.Must(t, os.WriteFile(broken, []byte(unnamed), 0o600))
	if output, err := lint(t, broken); err == nil || !strings.Contains(output, "operation-operationId") {
		t.Errorf("the linter accepts an operation without an operationId: %v\n%s", err, output)
	}
}

func lint(t *testing.T, files ...string) (output string, err error) {
	t.Helper()
	folder := npm.Install(t, root, "lint")
	arguments := append([]string{"lint", "--format=codeframe", "--config=" + absolute(t, "lint/redocly.yaml")}, files...)
	return npm.Try(t, folder, filepath.Join(folder, "node_modules/.bin/redocly"), arguments...)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	return check.Got(filepath.Abs(path)).Must(t)
}
