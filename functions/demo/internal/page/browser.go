package page

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/http/httpguts"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Browser is the visitor's browser in one request to a site. The sites have no secrets: they call a service as the visitor's
// browser would, with its cookies and languages, and pass the response's cookies on.
type Browser struct {
	Header http.Header // of the visitor's request, and headers that the site adds to its calls
	Path   string      // the path of the site's pages, and of its cookies
	Plain  bool        // over plain HTTP on loopback, where browsers reject secure cookies

	transport  http.RoundTripper
	cookies    []*http.Cookie // the visitor's current cookies
	newCookies []*http.Cookie // cookies that the response must set
}

// NewBrowser returns the browser of a request, with its cookies of the given names. The calls for a page that may never be shown, or that a
// script reads, have the header of a prefetch, so that they begin no session and use no handoff.
func NewBrowser(transport http.RoundTripper, r *http.Request, path string, cookies []string) *Browser {
	b := &Browser{Header: r.Header, Path: path, transport: transport}
	for _, c := range r.Cookies() {
		if slices.Contains(cookies, c.Name) {
			b.cookies = append(b.cookies, c)
		}
	}
	if fn.Speculative(r) || r.Header.Get("Sec-Fetch-Dest") == "empty" {
		b.With("Sec-Purpose", "prefetch")
	}
	return b
}

// With adds a header to the calls. It changes neither the request's header nor that of other calls. It drops a value that is no header, such
// as a campaign with a control character, because the call would fail.
func (b *Browser) With(name, value string) {
	if httpguts.ValidHeaderFieldValue(value) {
		b.Header = b.Header.Clone()
		b.Header.Set(name, value)
	}
}

// OpenTransport returns the transport to the services: the one in e, otherwise one that all pages share.
func OpenTransport(e env.Env) (http.RoundTripper, error) {
	if given, ok := upstream.TransportKey.Get(e); ok {
		return given, nil
	}
	return env.Once(e, "site", func() (http.RoundTripper, error) {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.Proxy = nil // only the configuration decides where calls go
		e.OnClose(func(context.Context) error { t.CloseIdleConnections(); return nil })
		return t, nil
	})
}

// forwarded are the request headers that are passed on to the service.
var forwarded = []string{"Accept-Language", "User-Agent", "Dnt", "Sec-Gpc", "Sec-Ch-Ua-Mobile", "Sec-Ch-Ua-Platform", "Sec-Purpose", "Purpose", "X-Request-Id",
	"X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name", "X-Sandbox-Scenario"}

// A Request is one request to a service.
type Request struct {
	Method, URL string
	Key         string // idempotency key
	Match       string // version for If-Match
	Surface     string // X-Client-Surface
	Version     string // X-Bootstrap-Version
	Challenge   string // X-Challenge-Response
	Token       string // of the hotel's staff
	Tenant      string // X-Tenant-Id
	In, Out     any
}

const (
	maxResponse = 1 << 20
	retryDelay  = 150 * time.Millisecond // delay before a request in progress is retried
)

// Call sends a request. If the same request is still in progress, for example after a double click, it waits and retries.
func (b *Browser) Call(ctx context.Context, r Request) error {
	for {
		err := b.send(ctx, r)
		if err == nil || ServiceErrorOf(err).Code != inProgress || env.Wait(ctx, retryDelay) != nil {
			return err
		}
	}
}

func (b *Browser) send(ctx context.Context, r Request) error {
	var body io.Reader = http.NoBody
	if r.In != nil {
		text, err := json.Marshal(r.In)
		if err != nil {
			return fmt.Errorf("page: %s: %w", r.URL, err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return fmt.Errorf("page: %s: %w", r.URL, err)
	}
	b.setHeaders(req, r)
	res, err := b.transport.RoundTrip(req) // does not follow redirects
	if err != nil {
		return fmt.Errorf("page: %s: %w", r.URL, err)
	}
	defer res.Body.Close()
	b.storeCookies(res.Cookies())
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("page: %s: %w", r.URL, err)
	}
	return parseResponse(res, text, r.Out)
}

func (b *Browser) setHeaders(req *http.Request, r Request) {
	for _, name := range forwarded {
		if values := b.Header.Values(name); values != nil {
			req.Header[name] = values
		}
	}
	for _, c := range b.cookies {
		req.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	if r.In != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Match != "" {
		req.Header.Set("If-Match", `"`+r.Match+`"`)
	}
	if r.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	for name, value := range map[string]string{"Idempotency-Key": r.Key, "X-Bootstrap-Version": r.Version, "X-Client-Surface": r.Surface,
		"X-Challenge-Response": r.Challenge, "X-Tenant-Id": r.Tenant} {
		if value != "" && httpguts.ValidHeaderFieldValue(value) {
			req.Header.Set(name, value)
		}
	}
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
	token, _ := p.Members["viewToken"].(string)
	due, _ := p.Members["dueMicro"].(string)
	return &ServiceError{Code: strings.TrimPrefix(p.Code, "MELMASTOON."), Status: res.StatusCode, Violations: p.Violations, Due: due,
		RetryAfter: p.RetryAfter, Challenge: p.Members["challenge"] != nil, ViewToken: token, Handoff: p.Members["handoffPayload"]}
}

// storeCookies stores the cookies of the service's response. Their path becomes the site's own, because the browser
// never calls the service itself.
func (b *Browser) storeCookies(set []*http.Cookie) {
	for _, c := range set {
		same := func(other *http.Cookie) bool { return other.Name == c.Name }
		c.Path, c.Domain, c.Secure = b.Path, "", !b.Plain // even if the service was called over plain HTTP
		b.cookies = append(slices.DeleteFunc(b.cookies, same), c)
		b.newCookies = append(slices.DeleteFunc(b.newCookies, same), c)
	}
}

// Cookie returns a cookie of the site itself for the pages below a path, until the browser closes.
func (b *Browser) Cookie(name, value, path string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: path, HttpOnly: true, Secure: !b.Plain, SameSite: http.SameSiteLaxMode}
}

// Cookies adds the cookies that the browser does not have yet to a reply.
func (b *Browser) Cookies(r fn.Reply) fn.Reply {
	for _, c := range b.newCookies {
		r = r.Keep(c)
	}
	return r
}
