package system

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Caller calls the system like another service: with an identity token and without following redirects.
type Caller struct {
	url, token string
	client     *http.Client
}

// NewCaller returns a caller of the system at url.
func NewCaller(url, token string) Caller {
	return Caller{
		url:   url,
		token: token,
		client: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 64}, // load tests call one host
			Timeout:       timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// An Answer is an HTTP answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Into decodes the body.
func (a Answer) Into(t testing.TB, v any) {
	t.Helper()
	check.Must(t, json.Unmarshal(a.Body, v), "in the answer %d %s", a.Status, a.Body)
}

// Want reports an error unless the answer has the status.
func (a Answer) Want(t testing.TB, status int) {
	t.Helper()
	check.Equal(t, a.Status, status, "%s", a.Body)
}

// WantProblem reports an error unless the answer is a problem with the status and the code.
func (a Answer) WantProblem(t testing.TB, status int, code string) {
	t.Helper()
	a.Want(t, status)
	check.Equal(t, a.Code(), code)
}

// Code returns the problem's code, or "".
func (a Answer) Code() string {
	var problem struct{ Code string }
	_ = json.Unmarshal(a.Body, &problem) // "" if it is not JSON
	return strings.TrimPrefix(problem.Code, "MELMASTOON.")
}

// A Request is one call. Token overrides the caller's token.
type Request struct {
	Method, Path, Key, Token string
	Body                     any // sent as JSON; a string is sent as form fields
	Header                   map[string]string
}

// Do sends a request and returns the answer with any status.
func (c Caller) Do(ctx context.Context, r Request) (Answer, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	res, err := c.client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: body}, err
}

func (c Caller) request(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	contentType := "application/json"
	switch b := r.Body.(type) {
	case nil:
	case string:
		body, contentType = strings.NewReader(b), "application/x-www-form-urlencoded"
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.url+r.Path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	if r.Token == "" {
		r.Token = c.token
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	return req, nil
}
