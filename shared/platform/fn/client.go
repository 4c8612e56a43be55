package fn

import (
	"net/http"
	"net/netip"
	"strings"

	"melmastoon.ghasi.io/shared/platform/env"
)

// hops is the number of our own proxies that append to X-Forwarded-For. Everything before the entry of the first proxy is only
// claimed by the client. If it is 0, the client is the peer of the connection.
type hops int

func openHops(e env.Env) (hops, error) {
	var c struct {
		Hops int `env:"FORWARDED_HOPS,default=0"` // 2 behind the load balancer: the client's address, then the balancer's
	}
	err := e.Load(&c)
	return hops(c.Hops), err
}

// Client returns a function that reads the client's address from a request, for middleware that runs before there is a [Call].
// The function returns the zero Addr if the address is unknown.
func Client(e env.Env) (func(*http.Request) netip.Addr, error) {
	n, err := openHops(e)
	return n.client, err
}

// client returns the client's address, or the zero Addr if it is unknown.
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
