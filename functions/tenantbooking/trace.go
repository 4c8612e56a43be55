package tenantbooking

import (
	"net/netip"
	"strings"
)

// A Trace is the client's address and headers. It is hashed before it is stored or published.
type Trace struct {
	Address   netip.Addr
	Agent     string
	Languages string
}

// Trace returns the caller's trace.
func (c Call[In]) Trace() Trace {
	return Trace{
		Address:   c.Address,
		Agent:     c.Header.Get("User-Agent"),
		Languages: strings.Join(c.Header.Values("Accept-Language"), ","),
	}
}
