package tenantbooking

import (
	"net/netip"
	"strings"
)

// A Trace is what a browser shows of itself. It is hashed before it is kept or told.
type Trace struct {
	Address   netip.Addr
	Agent     string
	Languages string
}

// Trace is the caller's.
func (c Call[In]) Trace() Trace {
	return Trace{
		Address:   c.Address,
		Agent:     c.Header.Get("User-Agent"),
		Languages: strings.Join(c.Header.Values("Accept-Language"), ","),
	}
}
