package system

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Browser simulates the browser of a visitor. It handles cookies like browsers and does not follow redirects.
type Browser struct {
	Languages string            // Accept-Language
	Headers   map[string]string // sent with every request, in addition to usual headers

	system *System
	front  *url.URL // address of the system, independent of the host in the URL
	client *http.Client
}

// Browser returns a browser without cookies.
func (s *System) Browser() *Browser {
	s.t.Helper()
	front := check.Got(url.Parse(s.url)).Must(s.t)
	jar := check.Got(cookiejar.New(nil)).Must(s.t)
	wire := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, front.Host)
	}}
	s.t.Cleanup(wire.CloseIdleConnections)
	return &Browser{
		Languages: "en",
		Headers:   nil,
		system:    s,
		front:     front,
		client: &http.Client{
			Jar: jar, Transport: wire, Timeout: timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Forgetful returns a copy of the browser without cookies, which does not store any either.
func (b *Browser) Forgetful() *Browser {
	client := *b.client
	client.Jar = nil
	return &Browser{Languages: b.Languages, Headers: b.Headers, system: b.system, front: b.front, client: &client}
}

// A Visitor represents a visitor of a hotel's site with a browser, and the state of their booking there.
type Visitor struct {
	*Browser
	Hotel demo.Hotel
	Base  string // absolute URL prefix of the site's routes

	Visit
}

// At returns a visitor of the hotel's site on the platform's host, at the hotel's path.
func (b *Browser) At(h demo.Hotel) *Visitor {
	return &Visitor{Browser: b, Hotel: h, Base: b.front.String() + "/bff/tenant-booking/v1/" + h.Slug}
}

// AtHome returns a visitor of the hotel's site on the hotel's own host.
func (b *Browser) AtHome(h demo.Hotel) *Visitor {
	return &Visitor{Browser: b, Hotel: h, Base: "http://" + h.Slug + ".localhost:" + b.front.Port() + "/api"}
}

// AtAll returns a visitor of the consumer site, without a hotel.
func (b *Browser) AtAll() *Visitor {
	return &Visitor{Browser: b, Base: b.front.String() + "/bff/consumer/v1"}
}

// Visit loads the hotel's site in a new browser, which starts a session.
func (s *System) Visit(h demo.Hotel) *Visitor {
	s.t.Helper()
	v := s.Browser().At(h)
	v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	return v
}

// Go sends a request like a page of the site, to a path below the site's base or to an absolute URL. A write gets a new
// idempotency key unless one is given.
func (v *Visitor) Go(ctx context.Context, r Request) (Answer, error) {
	target := r.Path
	if !strings.Contains(target, "://") {
		target = v.Base + r.Path
	}
	var body io.Reader
	contentType := "application/json"
	switch b := r.Body.(type) {
	case nil:
	case string:
		body, contentType = strings.NewReader(b), "application/x-www-form-urlencoded"
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return Answer{}, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, target, body)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	v.setHeaders(req, r)
	res, err := v.client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: text}, err
}

// setHeaders sets the headers that this browser sends with every request.
func (v *Visitor) setHeaders(req *http.Request, r Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		if r.Key == "" {
			r.Key = Key()
		}
		req.Header.Set("Idempotency-Key", r.Key)
	}
	req.Header.Set("Accept-Language", v.Languages)
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0")
	for name, value := range v.Headers {
		req.Header.Set(name, value)
	}
	for name, value := range r.Header {
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
}

// Send is like Go and fails the test if there is no answer.
func (v *Visitor) Send(method, path string, body any) Answer {
	v.system.t.Helper()
	a := check.Got(v.Go(v.system.t.Context(), Request{Method: method, Path: path, Body: body})).Must(v.system.t, "%s %s", method, path)
	v.learn(a)
	return a
}

// Must is like Send and fails the test unless the answer has that status.
func (v *Visitor) Must(status int, method, path string, body any) Answer {
	v.system.t.Helper()
	a := v.Send(method, path, body)
	check.MustEqual(v.system.t, a.Status, status, "%s %s answered: %s", method, path, a.Body)
	return a
}

// Refused is like Send and fails the test unless the answer has that status and code.
func (v *Visitor) Refused(status int, code, method, path string, body any) {
	v.system.t.Helper()
	if a := v.Send(method, path, body); a.Status != status || a.Code() != code {
		v.system.t.Errorf("%s %s answered %d, want %d %s: %s", method, path, a.Status, status, code, a.Body)
	}
}

// Cookies returns the cookies that the browser sends to the site, by name.
func (v *Visitor) Cookies() map[string]string {
	v.system.t.Helper()
	target := check.Got(url.Parse(v.Base + "/bootstrap")).Must(v.system.t)
	found := map[string]string{}
	for _, c := range v.client.Jar.Cookies(target) {
		found[c.Name] = c.Value
	}
	return found
}

// Cookie returns the Cookie header that the browser sends to the site.
func (v *Visitor) Cookie() string {
	var all []string
	for name, value := range v.Cookies() {
		all = append(all, name+"="+value)
	}
	return strings.Join(all, "; ")
}

// Session returns the id of the visitor's session from the cookie.
func (v *Visitor) Session() string {
	for _, value := range v.Cookies() {
		name, _, _ := strings.Cut(value, ".")
		return name
	}
	return ""
}

// System returns the system that the browser uses.
func (b *Browser) System() *System { return b.system }
