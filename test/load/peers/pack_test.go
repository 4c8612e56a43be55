package peers

import (
	"bytes"
	"compress/gzip"
	"io"
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

func unpack(b *testing.B, zipped []byte) []byte {
	b.Helper()
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	must(b, err)
	text, err := io.ReadAll(z)
	must(b, err)
	return text
}
