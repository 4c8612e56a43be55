package bundles

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/bundle/archive"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/processes"
)

// TestBody_unfinished sends unfinished bodies to a bundle, whose server is the functions framework's and has no time limits.
func TestBody_unfinished(t *testing.T) {
	t.Parallel()
	tree := check.Got(archive.Read(t.Context(), filepath.Join("..", ".."))).Must(t)
	i := slices.IndexFunc(melmastoon.Functions, func(f fn.Function) bool { return f.Spec.Name == "reservation-quote" })
	f := melmastoon.Functions[i]
	a := check.Got(tree.Function(t.Context(), f.Spec, archive.Firestore)).Must(t)
	program := check.Got(processes.BuildFunction(t.Context(), t.TempDir(), a)).Must(t)
	p := launch(t, program, f.Spec.Name, openSilentServer(t))
	p.listens()
	_, route := address(f)
	for name, test := range map[string]struct {
		path, token string
		status      int
	}{
		"a body that is read":        {route, p.token(f.Spec), http.StatusBadRequest},
		"an unread body":             {route, "none", http.StatusUnauthorized},
		"a body of an unknown route": {"/nowhere", "none", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", p.address)
			check.Must(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			check.Must(t, conn.SetReadDeadline(time.Now().Add(timeout)))
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nIdempotency-Key: one\r\nX-Tenant-Id: %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", test.path, p.address, test.token, inputs["tenantId"])
			check.Must(t, err)
			in := bufio.NewReader(conn)
			res := check.Got(http.ReadResponse(in, nil)).Must(t)
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != test.status {
				t.Errorf("got %d, %v, want %d", res.StatusCode, err, test.status)
			}
			check.Got(in.ReadByte()).Error(t, io.EOF, "the connection stays open")
		})
	}
}
