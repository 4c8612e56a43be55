package contracts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"melmastoon.ghasi.io/test/npm"
)

// TestAsyncAPI_isValid runs the official parser on the document, and on one that it must refuse.
func TestAsyncAPI_isValid(t *testing.T) {
	t.Parallel()
	file := absolute(t, root+"/schemas/asyncapi.json")
	output, err := parseAsyncAPI(t, file)
	if err != nil || !strings.Contains(output, "operations") {
		t.Errorf("%v\n%s", err, output)
	}

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(strings.Replace(string(text), `"action": "receive"`, `"action": "hear"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := parseAsyncAPI(t, broken); err == nil {
		t.Errorf("the parser accepts an unknown action: %s", output)
	}
}

func parseAsyncAPI(t *testing.T, file string) (output string, err error) {
	t.Helper()
	folder := npm.Install(t, root, "asyncapi")
	return npm.Try(t, folder, "node", absolute(t, "asyncapi/parse.cjs"), folder, file)
}
