package session

import "net/netip"

// A Trace is the client's address and headers. It is hashed before it is stored or published.
type Trace struct {
	Address   netip.Addr
	Agent     string
	Languages string
}
