package fn

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A Site describes how the browser reached the function.
type Site struct {
	Own   bool // on a tenant's own host, not on a shared one
	Plain bool // over plain HTTP on loopback, where browsers do not store secure cookies
}

// ownBase is the beginning of the paths on a tenant's own host, see Spec.HostWildcard.
const ownBase = "/api"

// home returns the function's route on a tenant's own host, or "" if it has none.
func (s Spec) home() string {
	method, path, _ := strings.Cut(s.Route, " ")
	_, rest, ok := strings.Cut(path, "/{"+s.HostWildcard+"}")
	if !ok {
		return ""
	}
	return method + " " + ownBase + rest
}

// Patterns returns all routes of the function, as ServeMux reads them.
func (s Spec) Patterns() []string {
	if home := s.home(); home != "" {
		return []string{s.pattern(), home}
	}
	return []string{s.pattern()}
}

// atHome sets the wildcard from the host, if the request used the route of a tenant's own host.
func (f *frame) atHome(r *http.Request) {
	if f.home != "" && r.Pattern == f.home {
		r.SetPathValue(f.spec.HostWildcard, tenantOf(r.Host, f.domain))
	}
}

// tenantOf returns the name of the tenant in a host: the label below our own domain, or else the whole host, which is then
// a domain of the tenant's own. It returns "" for a host without a domain.
func tenantOf(host, domain string) string {
	name := hostname(host)
	if label, ours := strings.CutSuffix(name, "."+domain); ours {
		return label
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
	return Site{Own: r.Pattern != "" && r.Pattern == s.home(), Plain: plain(r)}
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

// linkScanners are substrings of the user agents of messengers and mail services that open a link to preview or to check it. Their apps open
// links for a guest with other user agents. A scanner with the user agent of a browser cannot be told apart.
var linkScanners = []string{"facebookexternalhit", "facebot", "telegrambot", "twitterbot", "slackbot", "discordbot", "linkedinbot", "skypeuripreview",
	"bingpreview", "microsoftpreview", "vkshare", "snap url preview", "google-safety"}

// Speculative reports whether the answer may never be shown: to a HEAD request, a prefetch, a link scanner, or a request for a part of a page,
// such as an image. Scripts of a page call routes with the destination "empty".
func Speculative(r *http.Request) bool {
	agent := strings.ToLower(r.UserAgent())
	scans := slices.ContainsFunc(linkScanners, func(text string) bool { return strings.Contains(agent, text) }) || strings.HasPrefix(agent, "whatsapp/")
	if r.Method == http.MethodHead || scans || !slices.Contains([]string{"", "document", "empty"}, r.Header.Get("Sec-Fetch-Dest")) {
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
