package consumer

import (
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A fingerprinter reads from a request what the middleware is to know of the browser: its hashes, its class, its campaign and its country.
type fingerprinter struct {
	peppers pseudonym.Peppers
	client  func(*http.Request) netip.Addr
}

func openGlass(e env.Env) (g fingerprinter, err error) {
	if g.peppers, err = secrets.Peppers(e); err != nil {
		return g, err
	}
	g.client, err = fn.Client(e)
	return g, err
}

// A browser is what a request shows: a visitor without a session, and what the fingerprint was made of, which one made under
// an older pepper is compared with.
type browser struct {
	visitor Visitor
	print   pseudonym.Value
	peppers pseudonym.Peppers
}

// read hashes what a browser shows of itself. What it is hashed from goes no further.
func (g fingerprinter) read(r *http.Request) browser {
	v := Visitor{Class: attribution.DeviceOf(r.Header), Campaign: attribution.CampaignOf(r.Header), Referer: Place(r.Referer()), Country: countryOf(r.Header)}
	print := pseudonym.Fingerprint(string(v.Class), r.Header.Get("Sec-Ch-Ua-Platform"))
	v.Fingerprint = g.peppers.Hash(print)
	v.Agent = g.peppers.Hash(pseudonym.UserAgent(r.UserAgent()))
	if address, err := pseudonym.Address(g.client(r)); err == nil {
		v.IP = g.peppers.Hash(address)
	}
	return browser{visitor: v, print: print, peppers: g.peppers}
}

// knows reports whether a fingerprint was made of the same.
func (s browser) knows(h pseudonym.Hash) bool { return s.peppers.Matches(s.print, h) }

// countryOf is where the load balancer says the request comes from.
func countryOf(h http.Header) string {
	c := h.Get("X-Client-Geo-Country")
	if len(c) != 2 || c[0] < 'A' || c[0] > 'Z' || c[1] < 'A' || c[1] > 'Z' {
		return ""
	}
	return c
}

// maxPlaceLength bounds what is kept of an address.
const maxPlaceLength = 200

// Place is what is kept of the address of a page: its origin, if it has one, and its path, without what people were looking
// for there. A part of the path that is neither a plain word nor the id of a thing becomes "*".
func Place(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || !hostlike().MatchString(u.Host) || (u.Host == "") != (u.Scheme == "") ||
		!slices.Contains([]string{"", "http", "https"}, u.Scheme) {
		return ""
	}
	parts := strings.Split(u.Path, "/")
	for i, part := range parts {
		if !wordlike().MatchString(part) && !idlike().MatchString(part) {
			parts[i] = "*"
		}
	}
	path := strings.Join(parts, "/")
	if u.Host != "" {
		path = u.Scheme + "://" + u.Host + path
	}
	if len(path) > maxPlaceLength {
		return ""
	}
	return path
}

var (
	hostlike = expression(`^(([A-Za-z0-9-]{1,63}\.){0,6}[A-Za-z][A-Za-z0-9-]{0,62}(:[0-9]{1,5})?)?$`)
	wordlike = expression(`^[A-Za-z-]{0,40}$`)
	idlike   = expression(`^[a-z_]{3,12}_[0-9A-HJKMNP-TV-Z]{26}$`)
)

// expression compiles when it is first asked for: these cost more than all else that importing this package does, and most
// functions never look at a place.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
