package peers

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/go-json-experiment/json"
)

func pack(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must(t, json.MarshalWrite(z, v))
	must(t, z.Close())
	return b.Bytes()
}
