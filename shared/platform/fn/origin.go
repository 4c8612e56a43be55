package fn

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"melmastoon.ghasi.io/shared/fault"
)

var errCrossOrigin = fault.New(fault.Forbidden, "GENERAL.CROSS_ORIGIN_REFUSED", "Requests from other sites are not allowed.")

// CORS names the pages of other origins that may call a function, besides the request's own origin, and the headers that they may
// send and read in addition to those of this package. If Origins is nil, there are no such pages. See decision 93.
type CORS struct {
	Origins       func(context.Context, *http.Request) []string // exact origins
	Allow, Expose []string
}

// Methods and headers that a page of a trusted origin may send, and headers it may read. There are no routes for other methods.
var (
	allowedMethods = strings.Join(methods, ", ")
	allowedHeaders = []string{"Content-Type", "Idempotency-Key", "X-Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id", "Traceparent"}
	exposedHeaders = []string{"ETag", "Location", "Retry-After", "X-Request-Id", "X-Cache", "Idempotent-Replayed", "Content-Language", "RateLimit", "RateLimit-Policy"}
)

const preflightAge = "600" // seconds that a browser may cache the preflight answer

// origins protects a public function against cross-origin requests: pages of other origins can neither act as the visitor nor
// read an answer. Only the exact origins that the middleware returns are allowed, and only on the same site, because browsers do
// not send the session cookie from another site.
func (h *httpEnd[V, In, Out]) origins(ctx context.Context, r *http.Request, c *record) error {
	if h.spec.CrossOrigin {
		return nil
	}
	protection := &ownOrigin
	if h.middleware.CORS.Origins != nil {
		c.header["Vary"] = []string{"Origin"}
		if origin := r.Header.Get("Origin"); sibling(origin, r) && slices.Contains(h.middleware.CORS.Origins(ctx, r), origin) {
			protection = new(http.CrossOriginProtection)
			if err := protection.AddTrustedOrigin(origin); err != nil {
				return errCrossOrigin.Because(err)
			}
			c.header["Access-Control-Allow-Origin"] = []string{origin}
			c.header["Access-Control-Allow-Credentials"] = []string{"true"}
			c.header["Access-Control-Expose-Headers"] = []string{strings.Join(slices.Concat(exposedHeaders, h.middleware.CORS.Expose), ", ")}
		}
	}
	if protection.Check(r) != nil {
		return errCrossOrigin
	}
	return nil
}

// ownOrigin trusts only the request's own origin.
var ownOrigin http.CrossOriginProtection

// sibling reports whether a browser sends another origin than the host's own, of the same registrable domain.
func sibling(origin string, r *http.Request) bool {
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" || from.Host == r.Host {
		return false
	}
	theirs, noTheirs := publicsuffix.EffectiveTLDPlusOne(hostname(from.Host))
	ours, noOurs := publicsuffix.EffectiveTLDPlusOne(hostname(r.Host))
	return noTheirs == nil && noOurs == nil && theirs == ours
}

// preflight answers a CORS preflight request.
func (h *httpEnd[V, In, Out]) preflight(c *record) (answer, error) {
	if c.header["Access-Control-Allow-Origin"] == nil {
		return answer{}, errCrossOrigin
	}
	allowed := slices.Concat(allowedHeaders, h.middleware.CORS.Allow)
	if c.frame.forward != "" {
		allowed = append(allowed, c.frame.forward)
	}
	return answer{Status: http.StatusNoContent, Header: http.Header{
		"Access-Control-Allow-Methods": {allowedMethods},
		"Access-Control-Allow-Headers": {strings.Join(allowed, ", ")},
		"Access-Control-Max-Age":       {preflightAge},
	}}, nil
}

// preflightMethod returns the method that a preflight requests, or "" for any other request.
func preflightMethod(r *http.Request) string {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" {
		return ""
	}
	return r.Header.Get("Access-Control-Request-Method")
}
