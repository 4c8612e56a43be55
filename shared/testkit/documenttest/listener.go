package documenttest

import (
	"net"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// Listener returns the address of a server that accepts connections and never answers, until the test ends.
func Listener(t testing.TB) string {
	t.Helper()
	l := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close() // closed together with the listener
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-ended })
	return l.Addr().String()
}
