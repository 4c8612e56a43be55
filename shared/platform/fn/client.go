package fn

import (
	"net/http"
	"net/netip"
	"strings"

	"melmastoon.ghasi.io/shared/platform/env"
)

// hops is how many of our own proxies append to X-Forwarded-For. Everything before what the first of them appended is only
// what the client claims. With none, the client is whoever connects.
type hops int

func openHops(e env.Env) (hops, error) {
	var c struct {
		Hops int `env:"FORWARDED_HOPS,default=0"` // 2 behind the load balancer: the client's address, then its own
	}
	err := e.Load(&c)
	return hops(c.Hops), err
}

// Client tells the address of a request's client to a middleware, which is asked before there is a [Call]. It is the zero Addr
// where it is not known.
func Client(e env.Env) (func(*http.Request) netip.Addr, error) {
	n, err := openHops(e)
	return n.client, err
}

// client is the client's address, the zero Addr where it is not known.
func (n hops) client(r *http.Request) netip.Addr {
	if n <= 0 {
		from, _ := netip.ParseAddrPort(r.RemoteAddr)
		return from.Addr().Unmap()
	}
	all := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if len(all) < int(n) {
		return netip.Addr{}
	}
	addr, _ := netip.ParseAddr(strings.TrimSpace(all[len(all)-int(n)]))
	return addr.Unmap()
}
