package fn

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A Site is where a browser is while it calls.
type Site struct {
	Own   bool // on a host of the tenant's own, not on one that several share
	Plain bool // over plain HTTP on loopback, where browsers keep no secure cookie
}

// A route whose path names a tenant by this wildcard is also reached on that tenant's own host: there the host says which
// tenant it is, and the path is /api and what follows.
const (
	tenantWildcard = "tenantSlug"
	ownBase        = "/api"
)

// home is the function's route on a tenant's own host, "" where it has none.
func (s Spec) home() string {
	method, path, _ := strings.Cut(s.Route, " ")
	_, rest, ok := strings.Cut(path, "/{"+tenantWildcard+"}")
	if !ok {
		return ""
	}
	return method + " " + ownBase + rest
}

// isHome reports whether a pattern is the function's route on a tenant's own host. It is asked at every request.
func (s Spec) isHome(pattern string) bool {
	method, path, _ := strings.Cut(s.Route, " ")
	_, rest, ok := strings.Cut(path, "/{"+tenantWildcard+"}")
	called, at, _ := strings.Cut(pattern, " ")
	below, own := strings.CutPrefix(at, ownBase)
	return ok && own && called == method && below == rest
}

// patterns are all routes that lead to the function.
func (s Spec) patterns() []string {
	if home := s.home(); home != "" {
		return []string{s.pattern(), home}
	}
	return []string{s.pattern()}
}

// atHome makes the host stand for the wildcard, where the request came by the route of a tenant's own host.
func (f *frame) atHome(r *http.Request) {
	if f.home != "" && r.Pattern == f.home {
		r.SetPathValue(tenantWildcard, tenantOf(r.Host, f.domain))
	}
}

// tenantOf is what a host calls its tenant: the slug below our own domain, else the whole host, which is then a domain of
// the tenant's own. A host that is no name below a domain is nobody's.
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

// below reports whether a host is a domain or lies below it.
func below(name, domain string) bool { return name == domain || strings.HasSuffix(name, "."+domain) }

// hostname is a host in lower case, without its port and without the dot of the root.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// Site is the site that a request to the function came in at.
func (s Spec) Site(r *http.Request) Site {
	return Site{Own: s.isHome(r.Pattern), Plain: plain(r)}
}

// plain reports whether the request came from this machine over plain HTTP. Nobody else is given a cookie that plain HTTP carries.
func plain(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().IsLoopback() || r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return false
	}
	name := hostname(r.Host)
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || (err == nil && addr.IsLoopback())
}

// Speculative reports whether perhaps nobody will ever look at the answer: a HEAD, or a page that the browser loads ahead.
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
