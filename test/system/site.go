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

	"melmastoon.ghasi.io/functions/sandbox/demo"
)

// A Browser is what people visit hotels' sites with. It keeps cookies by the rules of browsers, and follows no redirect.
type Browser struct {
	Languages string            // Accept-Language
	Headers   map[string]string // sent with every request, besides what browsers send

	stage  *System
	front  *url.URL // where the system listens, whatever the address bar says
	client *http.Client
}

// Browser opens a browser without any cookies.
func (s *System) Browser() *Browser {
	s.t.Helper()
	front, err := url.Parse(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	wire := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, front.Host)
	}}
	s.t.Cleanup(wire.CloseIdleConnections)
	return &Browser{
		Languages: "en",
		Headers:   nil,
		stage:     s,
		front:     front,
		client: &http.Client{
			Jar: jar, Transport: wire, Timeout: timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Forgetful is the same browser with no cookies, and without a place to keep any: what it sends is in each request.
func (b *Browser) Forgetful() *Browser {
	client := *b.client
	client.Jar = nil
	return &Browser{Languages: b.Languages, Headers: b.Headers, stage: b.stage, front: b.front, client: &client}
}

// A Visitor is a person with a browser on one hotel's site, as far as they have come with a booking there.
type Visitor struct {
	*Browser
	Hotel demo.Hotel
	Base  string // what the site's routes begin with, an absolute URL

	Visit
}

// At visits the hotel where all hotels are: on the platform's host, each below a path of its own.
func (b *Browser) At(h demo.Hotel) *Visitor {
	return &Visitor{Browser: b, Hotel: h, Base: b.front.String() + "/bff/tenant-booking/v1/" + h.Slug}
}

// AtHome visits the hotel on a host of its own.
func (b *Browser) AtHome(h demo.Hotel) *Visitor {
	return &Visitor{Browser: b, Hotel: h, Base: "http://" + h.Slug + ".localhost:" + b.front.Port() + "/api"}
}

// AtAll visits the site of all hotels. A Visitor there has no hotel yet.
func (b *Browser) AtAll() *Visitor {
	return &Visitor{Browser: b, Base: b.front.String() + "/bff/consumer/v1"}
}

// Visit loads the hotel's site in a new browser, which begins a session.
func (s *System) Visit(h demo.Hotel) *Visitor {
	s.t.Helper()
	v := s.Browser().At(h)
	v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	return v
}

// Go sends what a page of the site sends: a path below the site's base, or an absolute URL. A write has an idempotency key
// of its own unless one is given.
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
	v.dress(req, r)
	res, err := v.client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: text}, err
}

// dress puts on a request what this browser puts on every one.
func (v *Visitor) dress(req *http.Request, r Request) {
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

// Send is Go for a test that expects an answer, whatever it says.
func (v *Visitor) Send(method, path string, body any) Answer {
	v.stage.t.Helper()
	a, err := v.Go(v.stage.t.Context(), Request{Method: method, Path: path, Body: body})
	if err != nil {
		v.stage.t.Fatalf("%s %s: %v", method, path, err)
	}
	v.learn(a)
	return a
}

// Must is Send, and fails the test unless the answer has that status.
func (v *Visitor) Must(status int, method, path string, body any) Answer {
	v.stage.t.Helper()
	a := v.Send(method, path, body)
	if a.Status != status {
		v.stage.t.Fatalf("%s %s answered %d, want %d: %s", method, path, a.Status, status, a.Body)
	}
	return a
}

// Refused is Send, and fails the test unless the answer has that status and code.
func (v *Visitor) Refused(status int, code, method, path string, body any) {
	v.stage.t.Helper()
	if a := v.Send(method, path, body); a.Status != status || a.Code() != code {
		v.stage.t.Errorf("%s %s answered %d, want %d %s: %s", method, path, a.Status, status, code, a.Body)
	}
}

// Cookies are what the browser sends to the site, by name.
func (v *Visitor) Cookies() map[string]string {
	v.stage.t.Helper()
	target, err := url.Parse(v.Base + "/bootstrap")
	if err != nil {
		v.stage.t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range v.client.Jar.Cookies(target) {
		found[c.Name] = c.Value
	}
	return found
}

// Cookie is what the browser sends to the site, as the header has it.
func (v *Visitor) Cookie() string {
	var all []string
	for name, value := range v.Cookies() {
		all = append(all, name+"="+value)
	}
	return strings.Join(all, "; ")
}

// Session is the id of the visitor's session, as the cookie names it.
func (v *Visitor) Session() string {
	for _, value := range v.Cookies() {
		name, _, _ := strings.Cut(value, ".")
		return name
	}
	return ""
}

// System returns the system that the browser uses.
func (b *Browser) System() *System { return b.stage }
