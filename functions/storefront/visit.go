package storefront

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Visit is one request to a hotel's site. The site has no secrets: it calls the booking service as the guest's browser
// would, with the guest's cookie and language, and passes the response's cookies on.
type Visit struct {
	Slug    string
	At      time.Time
	Front   Front // the hotel's bootstrap; zero in requests that only act
	Words   Words
	Seen    string // the Front.Version of the submitted page
	plain   bool   // over plain HTTP on loopback, where browsers reject secure cookies
	site    *site
	header  http.Header
	cookies []*http.Cookie // the guest's current cookies
	fresh   []*http.Cookie // cookies that the response must set
}

// forwarded are the request headers that are passed on to the booking service.
var forwarded = []string{"Accept-Language", "User-Agent", "Dnt", "Sec-Gpc", "Sec-Ch-Ua-Mobile", "Sec-Purpose", "Purpose", "X-Request-Id",
	"X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name", "X-Sandbox-Scenario"}

// A wish is one request to the booking service.
type wish struct {
	method, path string
	key          string // idempotency key
	match        string // version for If-Match
	in, out      any
}

const (
	maxAnswer = 1 << 20
	inLine    = 150 * time.Millisecond // delay before a request in progress is retried
)

// do sends a request and returns its status. If the same request is still in progress, for example after a double click,
// do waits and retries.
func (v *Visit) do(ctx context.Context, w wish) (status int, err error) {
	for {
		status, err = v.send(ctx, w)
		if err == nil || RefusalOf(err).Code != inProgress || env.Wait(ctx, inLine) != nil {
			return status, err
		}
	}
}

func (v *Visit) send(ctx context.Context, w wish) (int, error) {
	var body io.Reader = http.NoBody
	if w.in != nil {
		text, err := json.Marshal(w.in)
		if err != nil {
			return 0, fmt.Errorf("storefront: %s: %w", w.path, err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, w.method, v.site.booking+"/"+url.PathEscape(v.Slug)+w.path, body)
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", w.path, err)
	}
	v.setHeaders(req, w)
	res, err := v.site.wire.RoundTrip(req) // does not follow redirects
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", w.path, err)
	}
	defer res.Body.Close()
	v.take(res.Cookies())
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", w.path, err)
	}
	return res.StatusCode, parseResponse(res, text, w.out)
}

func (v *Visit) setHeaders(req *http.Request, w wish) {
	for _, name := range forwarded {
		if values := v.header.Values(name); values != nil {
			req.Header[name] = values
		}
	}
	for _, c := range v.cookies {
		req.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	if w.in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if w.key != "" {
		req.Header.Set("Idempotency-Key", w.key)
	}
	if w.match != "" {
		req.Header.Set("If-Match", `"`+w.match+`"`)
	}
	if v.Seen != "" {
		req.Header.Set("X-Bootstrap-Version", v.Seen)
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
		return &Refusal{Code: fault.ErrUpstreamUnavailable.Code}
	}
	return &Refusal{strings.TrimPrefix(p.Code, "MELMASTOON."), p.Violations}
}

// take stores the cookies of the booking service's response. Their path becomes the site's own, because the browser
// never calls the booking service itself.
func (v *Visit) take(set []*http.Cookie) {
	for _, c := range set {
		same := func(other *http.Cookie) bool { return other.Name == c.Name }
		c.Path, c.Domain, c.Secure = v.Home(), "", !v.plain // even if the booking service was called over plain HTTP
		v.cookies = append(slices.DeleteFunc(v.cookies, same), c)
		v.fresh = append(slices.DeleteFunc(v.fresh, same), c)
	}
}

// Home returns the path of the hotel's site.
func (v *Visit) Home() string { return "/site/" + url.PathEscape(v.Slug) }

// To redirects to a page of the site.
func (v *Visit) To(path string, query url.Values) fn.Page {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return fn.Page{Reply: v.kept(fn.SeeOther.At(v.Home() + path))}
}

// Away redirects to an external page, such as a payment page.
func (v *Visit) Away(to string) fn.Page { return fn.Page{Reply: v.kept(fn.SeeOther.At(to))} }

// kept adds the cookies that the browser does not have yet.
func (v *Visit) kept(r fn.Reply) fn.Reply {
	for _, c := range v.fresh {
		r = r.Keep(c)
	}
	return r
}
