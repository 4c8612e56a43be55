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
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A Wire is everything that functions hear from others: the database and their neighbours. The n-th answer after Cut(n) is
// lost on its way, although what was asked has been done.
type Wire struct {
	left atomic.Int64
	lost atomic.Bool
}

// Cut loses the n-th answer from now on.
func (w *Wire) Cut(n int) {
	w.lost.Store(false)
	w.left.Store(int64(n))
}

// Mend lets everything through, and tells whether an answer was lost.
func (w *Wire) Mend() bool {
	w.left.Store(0)
	return w.lost.Load()
}

// lose reports whether this answer is the one.
func (w *Wire) lose() bool {
	if w.left.Load() <= 0 || w.left.Add(-1) != 0 {
		return false
	}
	w.lost.Store(true)
	return true
}

var errLost = errors.New("the answer was lost")

// RoundTrip is the wire to the neighbours.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && w.lose() {
		_ = res.Body.Close()
		return nil, errLost
	}
	return res, err
}

// Around returns the surroundings of a database behind the wire.
func (w *Wire) Around(t testing.TB, db *pgtest.Database) env.Env {
	t.Helper()
	far, err := url.Parse(db.URL())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go w.relay(listener, far.Host)
	far.Host = listener.Addr().String()
	return env.Give(db.Env().With("DATABASE_URL", far.String()), http.RoundTripper(w))
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

// back passes answers on. When one is lost, the line is dead.
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
