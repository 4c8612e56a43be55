package storefront

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Visitor is the guest's browser in one request to a hotel's site. The site has no secrets: it calls the booking service as the guest's browser
// would, with the guest's cookie and language, and passes the response's cookies on.
type Visitor struct {
	Slug             string
	At               time.Time
	Bootstrap        Bootstrap // the hotel's bootstrap; zero in requests that only act
	Localizer        Localizer
	BootstrapVersion string // the Bootstrap.Version of the submitted page
	plain            bool   // over plain HTTP on loopback, where browsers reject secure cookies
	site             *site
	header           http.Header
	cookies          []*http.Cookie // the guest's current cookies
	newCookies       []*http.Cookie // cookies that the response must set
}

// forwarded are the request headers that are passed on to the booking service.
var forwarded = []string{"Accept-Language", "User-Agent", "Dnt", "Sec-Gpc", "Sec-Ch-Ua-Mobile", "Sec-Purpose", "Purpose", "X-Request-Id",
	"X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name", "X-Sandbox-Scenario"}

// An apiRequest is one request to the booking service.
type apiRequest struct {
	method, path string
	key          string // idempotency key
	match        string // version for If-Match
	in, out      any
}

const (
	maxResponse = 1 << 20
	retryDelay  = 150 * time.Millisecond // delay before a request in progress is retried
)

// call sends a request and returns its status. If the same request is still in progress, for example after a double click,
// do waits and retries.
func (v *Visitor) call(ctx context.Context, r apiRequest) (status int, err error) {
	for {
		status, err = v.send(ctx, r)
		if err == nil || ServiceErrorOf(err).Code != inProgress || env.Wait(ctx, retryDelay) != nil {
			return status, err
		}
	}
}

// slugs matches the form of a hotel's slug. Other texts, such as ".." and "a/b", would change the path of the call.
var slugs = regexp.MustCompile(`^[a-z0-9-]+$`)

func (v *Visitor) send(ctx context.Context, r apiRequest) (int, error) {
	if !slugs.MatchString(v.Slug) {
		return 0, &ServiceError{Code: unknownTenant}
	}
	var body io.Reader = http.NoBody
	if r.in != nil {
		text, err := json.Marshal(r.in)
		if err != nil {
			return 0, fmt.Errorf("storefront: %s: %w", r.path, err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, v.site.booking+"/"+url.PathEscape(v.Slug)+r.path, body)
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", r.path, err)
	}
	v.setHeaders(req, r)
	res, err := v.site.transport.RoundTrip(req) // does not follow redirects
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", r.path, err)
	}
	defer res.Body.Close()
	v.storeCookies(res.Cookies())
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", r.path, err)
	}
	return res.StatusCode, parseResponse(res, text, r.out)
}

func (v *Visitor) setHeaders(req *http.Request, r apiRequest) {
	for _, name := range forwarded {
		if values := v.header.Values(name); values != nil {
			req.Header[name] = values
		}
	}
	for _, c := range v.cookies {
		req.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	if r.in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	if r.match != "" {
		req.Header.Set("If-Match", `"`+r.match+`"`)
	}
	if v.BootstrapVersion != "" {
		req.Header.Set("X-Bootstrap-Version", v.BootstrapVersion)
	}
	req.Header.Set("X-Client-Surface", "web-tenant")
}

func parseResponse(res *http.Response, text []byte, out any) error {
	switch {
	case res.StatusCode/100 == 2 && (out == nil || res.StatusCode == http.StatusNoContent):
		return nil
	case res.StatusCode/100 == 2:
		return json.Unmarshal(text, out)
	}
	var p fn.Problem
	if json.Unmarshal(text, &p) != nil || p.Code == "" {
		return &ServiceError{Code: fault.ErrUpstreamUnavailable.Code}
	}
	return &ServiceError{strings.TrimPrefix(p.Code, "MELMASTOON."), p.Violations}
}

// storeCookies stores the cookies of the booking service's response. Their path becomes the site's own, because the browser
// never calls the booking service itself.
func (v *Visitor) storeCookies(set []*http.Cookie) {
	for _, c := range set {
		same := func(other *http.Cookie) bool { return other.Name == c.Name }
		c.Path, c.Domain, c.Secure = v.Home(), "", !v.plain // even if the booking service was called over plain HTTP
		v.cookies = append(slices.DeleteFunc(v.cookies, same), c)
		v.newCookies = append(slices.DeleteFunc(v.newCookies, same), c)
	}
}

// Home returns the path of the hotel's site.
func (v *Visitor) Home() string { return "/site/" + url.PathEscape(v.Slug) }

// To redirects to a page of the site.
func (v *Visitor) To(path string, query url.Values) fn.Page {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return fn.Page{Reply: v.withCookies(fn.SeeOther.At(v.Home() + path))}
}

// ToExternal redirects to an external page, such as a payment page.
func (v *Visitor) ToExternal(to string) fn.Page {
	return fn.Page{Reply: v.withCookies(fn.SeeOther.At(to))}
}

// withCookies adds the cookies that the browser does not have yet.
func (v *Visitor) withCookies(r fn.Reply) fn.Reply {
	for _, c := range v.newCookies {
		r = r.Keep(c)
	}
	return r
}
