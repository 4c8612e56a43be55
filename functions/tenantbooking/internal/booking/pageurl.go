package booking

import (
	"net/url"
	"strings"
)

// A pageURL is the URL of a page on a hotel's site: with {site} or {slug}, and a placeholder for an id.
type pageURL struct{ template, id string }

// fill replaces the placeholders.
func (p pageURL) fill(site, slug, id string) string {
	return strings.NewReplacer("{site}", site, "{slug}", slug, p.id, id).Replace(p.template)
}

// valid reports whether the filled template is an http URL, or empty.
func (p pageURL) valid() bool {
	page := p.fill("hotel.example", "hotel", "id")
	u, err := url.Parse(page)
	return page == "" || err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") && !strings.ContainsAny(page, "{}")
}
