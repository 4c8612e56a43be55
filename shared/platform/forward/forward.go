// Package forward carries one header of a request to the requests that a function sends to other services for it.
//
// FORWARD_HEADER names the header. If it is set, responses of other services may depend on the header, so they are not cached, and
// their failures do not count for circuit breakers.
package forward

import "context"

// A Header is the header and its value.
type Header struct{ Name, Value string }

type headerKey struct{}

// With returns a context that carries the header.
func With(ctx context.Context, h Header) context.Context {
	return context.WithValue(ctx, headerKey{}, h)
}

// Of returns the header, if the context carries one.
func Of(ctx context.Context) (Header, bool) {
	h, ok := ctx.Value(headerKey{}).(Header)
	return h, ok
}
