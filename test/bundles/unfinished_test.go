package bundles

import (
	"bufio"
	"errors"
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
	tree, err := archive.Read(t.Context(), filepath.Join("..", ".."))
	check.Must(t, err)
	i := slices.IndexFunc(melmastoon.Functions, func(f fn.Function) bool { return f.Spec.Name == "reservation-quote" })
	f := melmastoon.Functions[i]
	a, err := tree.Function(t.Context(), f.Spec, archive.Firestore)
	check.Must(t, err)
	program, err := processes.BuildFunction(t.Context(), t.TempDir(), a)
	check.Must(t, err)
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
			res, err := http.ReadResponse(in, nil)
			check.Must(t, err)
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != test.status {
				t.Errorf("got %d, %v, want %d", res.StatusCode, err, test.status)
			}
			if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
				t.Errorf("the connection stays open: %v", err)
			}
		})
	}
}
