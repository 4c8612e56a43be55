package system

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A Caller calls the system as a neighbour does: with an identity token, following no redirect.
type Caller struct {
	url, token string
	client     *http.Client
}

// NewCaller calls what listens at url.
func NewCaller(url, token string) Caller {
	return Caller{
		url:   url,
		token: token,
		client: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 64}, // a crowd calls one host
			Timeout:       timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// An Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Into decodes the body.
func (a Answer) Into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("%v in the answer %d %s", err, a.Status, a.Body)
	}
}

// Code is the problem's code, or "".
func (a Answer) Code() string {
	var problem struct{ Code string }
	_ = json.Unmarshal(a.Body, &problem) // no JSON, no code
	return strings.TrimPrefix(problem.Code, "MELMASTOON.")
}

// A Request is one call as a neighbour makes it. Token overrules the neighbour's.
type Request struct {
	Method, Path, Key, Token string
	Body                     any // JSON, unless it is a string of form fields
	Header                   map[string]string
}

// Do sends a request and returns whatever was answered.
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
