package contracts

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/npm"
)

// TestDocs_consoleIsThePinnedPackage compares the files of Swagger UI that the documentation embeds with the npm package that
// docs/package-lock.json pins.
func TestDocs_consoleIsThePinnedPackage(t *testing.T) {
	t.Parallel()
	from := filepath.Join(npm.Install(t, root, "docs"), "node_modules/swagger-ui-dist")
	embedded := root + "/functions/demo/sandbox/showdocs/swagger/"
	for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"} {
		t.Run(name, func(t *testing.T) {
			want := check.Got(os.ReadFile(filepath.Join(from, name))).Must(t)
			got, err := os.ReadFile(embedded + name)
			if os.IsNotExist(err) {
				got, err = unpack(embedded + name + ".gz")
			}
			check.Must(t, err)
			if !bytes.Equal(got, want) {
				t.Errorf("got %d bytes that differ from the %d of the package: gzip -9 -n -c node_modules/swagger-ui-dist/%s", len(got), len(want), name)
			}
		})
	}
}

func unpack(file string) ([]byte, error) {
	packed, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}
