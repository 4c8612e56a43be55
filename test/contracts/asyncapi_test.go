package contracts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/showdocs"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/test/npm"
)

// TestAsyncAPI runs the official parser on the document and on its bundled form, and on some that it must refuse.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	file := absolute(t, root+"/schemas/asyncapi.json")
	text := check.Got(os.ReadFile(file)).Must(t)
	bundled := string(fntest.Open(t, env.Of(nil), showdocs.Function).As("").Get("/docs?file=asyncapi.json").Body)
	for _, test := range []struct {
		name, text string // no text stands for the committed file
		want       string // in the output; the parser accepts a document with operations
	}{
		{name: "committed", want: "operations"},
		{name: "bundled", text: bundled, want: "operations"},
		{name: "without_schemas", text: string(text), want: "events/melmastoon."}, // there is no folder events beside it
		{name: "unknown_action", text: strings.Replace(bundled, `"action": "receive"`, `"action": "hear"`, 1), want: "/action"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			of := file
			if test.text != "" {
				of = filepath.Join(t.TempDir(), "asyncapi.json")
				check.Must(t, os.WriteFile(of, []byte(test.text), 0o600))
			}
			folder := npm.Install(t, root, "asyncapi")
			output, err := npm.Try(t, folder, "node", absolute(t, "asyncapi/parse.cjs"), folder, of)
			if valid := test.want == "operations"; (err == nil) != valid || !strings.Contains(output, test.want) {
				t.Errorf("error = %v, want an accepted document: %t, with %q in\n%s", err, valid, test.want, output)
			}
		})
	}
}
