package bundles

import (
	"net"
	"sync"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A silentServer accepts every connection and does not respond, until it is released: then it closes them.
type silentServer struct {
	listener net.Listener
	touched  chan struct{} // closed by the first connection
	mu       sync.Mutex
	once     sync.Once
	gone     bool
	callers  []net.Conn
}

func openSilentServer(t testing.TB) *silentServer {
	t.Helper()
	l := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	v := &silentServer{listener: l, touched: make(chan struct{})}
	go v.accept()
	t.Cleanup(v.release)
	return v
}

func (v *silentServer) address() string { return v.listener.Addr().String() }

func (v *silentServer) accept() {
	for {
		c, err := v.listener.Accept()
		if err != nil {
			return
		}
		v.keep(c)
		v.once.Do(func() { close(v.touched) })
	}
}

func (v *silentServer) keep(c net.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone {
		_ = c.Close()
		return
	}
	v.callers = append(v.callers, c)
}

func (v *silentServer) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = true
	_ = v.listener.Close()
	for _, c := range v.callers {
		_ = c.Close()
	}
	v.callers = nil
}
