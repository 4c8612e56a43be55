package storefront

import (
	"context"
	"net/url"
	"regexp"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Visitor is the guest's browser in one request to a hotel's site.
type Visitor struct {
	Slug             string
	At               time.Time
	Bootstrap        Bootstrap // the hotel's bootstrap; zero in requests that only act
	Localizer        Localizer
	BootstrapVersion string // the Bootstrap.Version of the submitted page
	browser          *page.Browser
	site             *site
}

// An apiRequest is one request to the booking service.
type apiRequest struct {
	method, path string
	key          string // idempotency key
	match        string // version for If-Match
	in, out      any
}

// slugs matches the form of a hotel's slug. Other texts, such as ".." and "a/b", would change the path of the call.
var slugs = regexp.MustCompile(`^[a-z0-9-]+$`)

// call sends a request to the booking service.
func (v *Visitor) call(ctx context.Context, r apiRequest) error {
	if !slugs.MatchString(v.Slug) {
		return &ServiceError{Code: unknownTenant}
	}
	return v.browser.Call(ctx, page.Request{Method: r.method, URL: v.site.booking + "/" + url.PathEscape(v.Slug) + r.path, Key: r.key, Match: r.match,
		Surface: "web-tenant", Version: v.BootstrapVersion, In: r.in, Out: r.out})
}

// Home returns the path of the hotel's site.
func (v *Visitor) Home() string { return "/site/" + url.PathEscape(v.Slug) }

// To redirects to a page of the site.
func (v *Visitor) To(path string, query url.Values) fn.Page {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return fn.Page{Reply: v.browser.Cookies(fn.SeeOther.At(v.Home() + path))}
}

// ToExternal redirects to an external page, such as a payment page.
func (v *Visitor) ToExternal(to string) fn.Page {
	return fn.Page{Reply: v.browser.Cookies(fn.SeeOther.At(to))}
}
