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

// A Visit is one request of a guest of a hotel's site. The site has no secrets: it asks the booking service as the guest's
// browser would, with their cookie and in their language, and hands on the cookie that comes back.
type Visit struct {
	Slug    string
	At      time.Time
	Front   Front // what the hotel shows of itself; zero in visits that only act
	Words   Words
	Seen    string // which Front.Version the guest has before them, where they act on it
	plain   bool   // over plain HTTP on loopback, where browsers keep no secure cookie
	site    *site
	header  http.Header
	cookies []*http.Cookie // of the guest, as the booking service set them last
	fresh   []*http.Cookie // those that the browser does not have yet
}

// forwarded are the guest's headers that the booking service is to know as from the guest.
var forwarded = []string{"Accept-Language", "User-Agent", "Dnt", "Sec-Gpc", "Sec-Ch-Ua-Mobile", "Sec-Purpose", "Purpose", "X-Request-Id",
	"X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name", "X-Sandbox-Scenario"}

// A wish is one request to the booking service.
type wish struct {
	method, path string
	key          string // idempotency
	match        string // the version that is changed
	in, out      any
}

const (
	maxAnswer = 1 << 20
	inLine    = 150 * time.Millisecond // until the first of two clicks is looked for again
)

// do makes a request and tells its status. Of two clicks the second waits for what became of the first.
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
	v.dress(req, w)
	res, err := v.site.wire.RoundTrip(req) // follows no redirect
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", w.path, err)
	}
	defer res.Body.Close()
	v.take(res.Cookies())
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, fmt.Errorf("storefront: %s: %w", w.path, err)
	}
	return res.StatusCode, judge(res, text, w.out)
}

func (v *Visit) dress(req *http.Request, w wish) {
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

func judge(res *http.Response, text []byte, out any) error {
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

// take keeps what the booking service has the browser keep. The browser gets it for the site's own path, since it never
// calls the booking service itself.
func (v *Visit) take(set []*http.Cookie) {
	for _, c := range set {
		same := func(other *http.Cookie) bool { return other.Name == c.Name }
		c.Path, c.Domain, c.Secure = v.Home(), "", !v.plain // the booking service may have been called by plain HTTP
		v.cookies = append(slices.DeleteFunc(v.cookies, same), c)
		v.fresh = append(slices.DeleteFunc(v.fresh, same), c)
	}
}

// Home is where the hotel's site begins.
func (v *Visit) Home() string { return "/site/" + url.PathEscape(v.Slug) }

// To sends the guest on to a page of the site.
func (v *Visit) To(path string, query url.Values) fn.Page {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return fn.Page{Reply: v.kept(fn.SeeOther.At(v.Home() + path))}
}

// Away sends the guest to somebody else's page, such as a bank's.
func (v *Visit) Away(to string) fn.Page { return fn.Page{Reply: v.kept(fn.SeeOther.At(to))} }

// kept adds the cookies that the browser does not have yet.
func (v *Visit) kept(r fn.Reply) fn.Reply {
	for _, c := range v.fresh {
		r = r.Keep(c)
	}
	return r
}
