package fn

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A Site describes how the browser reached the function.
type Site struct {
	Own   bool // on a tenant's own host, not on a shared one
	Plain bool // over plain HTTP on loopback, where browsers do not store secure cookies
}

// A route whose path names a tenant by this wildcard is also served on that tenant's own host. There the host determines the
// tenant, and the path is /api followed by the rest of the route.
const (
	tenantWildcard = "tenantSlug"
	ownBase        = "/api"
)

// home returns the function's route on a tenant's own host, or "" if it has none.
func (s Spec) home() string {
	method, path, _ := strings.Cut(s.Route, " ")
	_, rest, ok := strings.Cut(path, "/{"+tenantWildcard+"}")
	if !ok {
		return ""
	}
	return method + " " + ownBase + rest
}

// isHome reports whether a pattern is the function's route on a tenant's own host. It runs on every request.
func (s Spec) isHome(pattern string) bool {
	method, path, _ := strings.Cut(s.Route, " ")
	_, rest, ok := strings.Cut(path, "/{"+tenantWildcard+"}")
	called, at, _ := strings.Cut(pattern, " ")
	below, own := strings.CutPrefix(at, ownBase)
	return ok && own && called == method && below == rest
}

// patterns returns all routes of the function.
func (s Spec) patterns() []string {
	if home := s.home(); home != "" {
		return []string{s.pattern(), home}
	}
	return []string{s.pattern()}
}

// atHome sets the wildcard from the host, if the request used the route of a tenant's own host.
func (f *frame) atHome(r *http.Request) {
	if f.home != "" && r.Pattern == f.home {
		r.SetPathValue(tenantWildcard, tenantOf(r.Host, f.domain))
	}
}

// tenantOf returns the name of the tenant in a host: the slug below our own domain, or else the whole host, which is then a
// domain of the tenant's own. It returns "" for a host without a domain.
func tenantOf(host, domain string) string {
	name := hostname(host)
	if slug, ours := strings.CutSuffix(name, "."+domain); ours {
		return slug
	}
	if _, err := netip.ParseAddr(name); err == nil || name == domain || !strings.Contains(name, ".") {
		return ""
	}
	return name
}

// below reports whether a host equals a domain or is a subdomain of it.
func below(name, domain string) bool { return name == domain || strings.HasSuffix(name, "."+domain) }

// hostname returns a host in lower case, without port and trailing dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// Site returns the Site of a request to the function.
func (s Spec) Site(r *http.Request) Site {
	return Site{Own: s.isHome(r.Pattern), Plain: plain(r)}
}

// plain reports whether the request came from this machine over plain HTTP. Only then may a cookie omit Secure.
func plain(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().IsLoopback() || r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return false
	}
	name := hostname(r.Host)
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || (err == nil && addr.IsLoopback())
}

// Speculative reports whether the answer may never be shown: a HEAD request, or a page that the browser prefetches.
func Speculative(r *http.Request) bool {
	if r.Method == http.MethodHead {
		return true
	}
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		for _, value := range r.Header[name] {
			value = strings.ToLower(value)
			if strings.Contains(value, "prefetch") || strings.Contains(value, "prerender") || strings.Contains(value, "preview") {
				return true
			}
		}
	}
	return false
}
