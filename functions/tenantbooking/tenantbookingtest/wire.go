package tenantbookingtest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A Wire carries all responses to the functions: those of the database and of other services. After LoseResponse(n) the n-th
// response is lost, although its request was executed.
type Wire struct {
	left atomic.Int64
	lost atomic.Bool
}

// LoseResponse loses the n-th response from now on.
func (w *Wire) LoseResponse(n int) {
	w.lost.Store(false)
	w.left.Store(int64(n))
}

// LoseNone lets all responses pass again, and reports whether one was lost.
func (w *Wire) LoseNone() bool {
	w.left.Store(0)
	return w.lost.Load()
}

// lose reports whether this response is the one to lose.
func (w *Wire) lose() bool {
	if w.left.Load() <= 0 || w.left.Add(-1) != 0 {
		return false
	}
	w.lost.Store(true)
	return true
}

var errLost = errors.New("the response was lost")

// RoundTrip sends a request to another service.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && w.lose() {
		_ = res.Body.Close()
		return nil, errLost
	}
	return res, err
}

// Around returns an Env with a database behind the wire.
func (w *Wire) Around(t testing.TB, db *pgtest.Database) env.Env {
	t.Helper()
	far, err := url.Parse(db.URL())
	check.Must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go w.relay(listener, far.Host)
	far.Host = listener.Addr().String()
	return upstream.TransportKey.With(db.Env().With("DATABASE_URL", far.String()), w)
}

func (w *Wire) relay(from net.Listener, to string) {
	for {
		near, err := from.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", to)
		if err != nil {
			_ = near.Close()
			continue
		}
		go func() {
			_, _ = io.Copy(far, near)
			_ = far.Close()
		}()
		go w.back(near, far)
	}
}

// back forwards responses. After a lost response the connection is closed.
func (w *Wire) back(near, far net.Conn) {
	defer near.Close()
	defer far.Close()
	chunk := make([]byte, 64<<10)
	for {
		n, err := far.Read(chunk)
		if err != nil || w.lose() {
			return
		}
		if _, err := near.Write(chunk[:n]); err != nil {
			return
		}
	}
}
