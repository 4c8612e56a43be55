package session

import (
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A fingerprinter derives the hashes, device class, campaign and country of a browser from a request.
type fingerprinter struct {
	peppers pseudonym.Peppers
	client  func(*http.Request) netip.Addr
}

func openFingerprinter(e env.Env) (g fingerprinter, err error) {
	if g.peppers, err = secrets.Peppers(e); err != nil {
		return g, err
	}
	g.client, err = fn.Client(e)
	return g, err
}

// A browser holds the data read from a request: a visitor without a session, and the raw fingerprint value to compare with
// hashes made under older peppers.
type browser struct {
	visitor     Visitor
	fingerprint pseudonym.Value
	peppers     pseudonym.Peppers
}

// read returns the hashed properties of the browser. The raw values are not stored.
func (g fingerprinter) read(r *http.Request) *browser {
	v := Visitor{Class: attribution.DeviceOf(r.Header), Campaign: attribution.CampaignOf(r.Header), Referer: RedactAddress(r.Referer()), Country: countryOf(r.Header)}
	v.silent = r.Header.Get("DNT") == "1" || r.Header.Get("Sec-GPC") == "1"
	fingerprint := pseudonym.Fingerprint(string(v.Class), r.Header.Get("Sec-Ch-Ua-Platform"))
	v.Fingerprint = g.peppers.Hash(fingerprint)
	v.Agent = g.peppers.Hash(pseudonym.UserAgent(r.UserAgent()))
	if address, err := pseudonym.Address(g.client(r)); err == nil {
		v.IP = g.peppers.Hash(address)
	}
	return &browser{visitor: v, fingerprint: fingerprint, peppers: g.peppers}
}

// matches reports whether a stored fingerprint matches the browser under any pepper.
func (s *browser) matches(h pseudonym.Hash) bool { return s.peppers.Matches(s.fingerprint, h) }

// countryOf returns the country code from the load balancer's header, or "" if it has none.
func countryOf(h http.Header) string {
	c := h.Get("X-Client-Geo-Country")
	if len(c) != 2 || c[0] < 'A' || c[0] > 'Z' || c[1] < 'A' || c[1] > 'Z' {
		return ""
	}
	return c
}

// maxPlaceLength is the maximum length of a stored address, in bytes.
const maxPlaceLength = 200

// RedactAddress returns the part of a page's address that may be stored: its origin, if it has one, and its path without the query.
// A path segment that is neither a plain word nor an id becomes "*". RedactAddress returns "" for an invalid or
// too long address, and for one with contact data in its host.
func RedactAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || !hostPattern().MatchString(u.Host) || (u.Host == "") != (u.Scheme == "") ||
		!slices.Contains([]string{"", "http", "https"}, u.Scheme) {
		return ""
	}
	parts := strings.Split(u.Path, "/")
	for i, part := range parts {
		if !wordPattern().MatchString(part) && !idPattern().MatchString(part) {
			parts[i] = "*"
		}
	}
	path := strings.Join(parts, "/")
	if u.Host != "" {
		path = u.Scheme + "://" + u.Host + path
	}
	if len(path) > maxPlaceLength || freetext.Scrub(path) != path {
		return ""
	}
	return path
}

var (
	hostPattern = pattern(`^(([A-Za-z0-9-]{1,63}\.){0,6}[A-Za-z][A-Za-z0-9-]{0,62}(:[0-9]{1,5})?)?$`)
	wordPattern = pattern(`^[A-Za-z-]{0,40}$`)
	idPattern   = pattern(`^[a-z_]{3,12}_[0-9A-HJKMNP-TV-Z]{26}$`)
)

// pattern compiles the pattern on first use. Compilation dominates the package's initialization time, and most functions
// never call [RedactAddress].
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
