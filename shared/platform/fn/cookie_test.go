package fn_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// minting is a function whose middleware gives every caller a cookie, and rejects requests with X-Trouble.
func minting[In, Out any](s fn.Spec, act func(context.Context, fn.Nothing, fn.Call[In]) (Out, error)) fn.Function {
	middleware := func(env.Env) (fn.Middleware[fn.Nothing], error) {
		return fn.Middleware[fn.Nothing]{Resolve: func(_ context.Context, r *http.Request, _ identity.Identity) (v fn.Nothing, s fn.Scope, err error) {
			s.Cookies = []*http.Cookie{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}
			if r.Header.Get("X-Trouble") != "" {
				err = fault.New(fault.TooMany, "GENERAL.RATE_LIMITED", "Too many.")
			}
			return v, s, err
		}}, nil
	}
	return fn.HTTP(s, middleware, func(env.Env) (func(context.Context, fn.Nothing, fn.Call[In]) (Out, error), error) { return act, nil })
}

func TestMiddlewareCookie_sentWithEveryAnswer(t *testing.T) {
	t.Parallel()
	type wanted struct {
		A int `json:"a"`
	}
	fine := minting(fn.Spec{Name: "test-fine", Route: "POST /fine"}, func(context.Context, fn.Nothing, fn.Call[wanted]) (fn.Reply, error) {
		return fn.OK.Reply().Cached("public, max-age=60").Keep(&http.Cookie{Name: "c", Value: "3"}), nil
	})
	refusing := minting(fn.Spec{Name: "test-refusing", Route: "POST /refusing"}, func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Nothing, error) {
		return fn.Nothing{}, fault.ErrNotFound
	})
	panicking := minting(fn.Spec{Name: "test-panicking", Route: "POST /panicking"}, func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Nothing, error) {
		panic("on purpose")
	})
	front := open(t, fine, refusing, panicking)
	for _, test := range []struct {
		name, path, body string
		headers          []string
		status           int
		cookies          []string
	}{
		{"an answer, beside its own", "/fine", `{"a":1}`, nil, 200, []string{"a=1", "b=2", "c=3"}},
		{"a body that is refused", "/fine", `{"b":1}`, nil, 400, []string{"a=1", "b=2"}},
		{"a refusal", "/refusing", `{}`, nil, 404, []string{"a=1", "b=2"}},
		{"a failure", "/panicking", `{}`, nil, 500, []string{"a=1", "b=2"}},
		{"a middleware that rejects every request", "/fine", `{"a":1}`, []string{"X-Trouble", "1"}, 429, []string{"a=1", "b=2"}},
		{"another method", "/refusing/else", `{}`, nil, 404, nil},
		{"another site", "/fine", `{"a":1}`, []string{"Sec-Fetch-Site", "cross-site"}, 403, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := front.Post(test.path, test.body, test.headers...)
			if got := a.Header.Values("Set-Cookie"); a.Status != test.status || !slices.Equal(got, test.cookies) {
				t.Errorf("got %d with %v, want %d with %v\n%s", a.Status, got, test.status, test.cookies, a.Body)
			}
			if test.cookies != nil && a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("others may keep the cookie: %s", a.Header.Get("Cache-Control"))
			}
		})
	}
}

func TestMiddlewareBegin_acceptedOnly(t *testing.T) {
	t.Parallel()
	type wanted struct {
		A int `json:"a"`
	}
	began := 0
	middleware := func(env.Env) (fn.Middleware[string], error) {
		return fn.Middleware[string]{
			Resolve: func(context.Context, *http.Request, identity.Identity) (v string, s fn.Scope, err error) {
				s.Cookies = []*http.Cookie{{Name: "a", Value: "1"}}
				return "entered", s, nil
			},
			Begin: func(_ context.Context, r *http.Request, v string, s fn.Scope) (string, fn.Scope, error) {
				began++
				if r.Header.Get("X-Trouble") != "" {
					return v, s, fault.ErrUnavailable
				}
				s.Cookies = []*http.Cookie{{Name: "b", Value: "2"}}
				return v + " and begun", s, nil
			},
		}, nil
	}
	act := func(_ context.Context, v string, c fn.Call[wanted]) (fn.Reply, error) {
		check.Equal(t, v, "entered and begun", "the act's visitor")
		if c.In.A == 2 {
			return fn.Reply{}, fault.ErrNotFound
		}
		return fn.OK.Reply(), nil
	}
	front := open(t, fn.HTTP(fn.Spec{Name: "test-begin", Route: "POST /begin", Access: fn.Public}, middleware,
		func(env.Env) (func(context.Context, string, fn.Call[wanted]) (fn.Reply, error), error) {
			return act, nil
		}))
	for _, test := range []struct {
		name, body string
		headers    []string
		status     int
		began      int
		cookies    []string
	}{
		{name: "an accepted request", body: `{"a":1}`, headers: nil, status: 200, began: 1, cookies: []string{"a=1", "b=2"}},
		{name: "a rejection by the act", body: `{"a":2}`, headers: nil, status: 404, began: 1, cookies: []string{"a=1", "b=2"}},
		{name: "a wrong body", body: `{"b":1}`, headers: nil, status: 400, began: 0, cookies: []string{"a=1"}},
		{name: "a failure to begin", body: `{"a":1}`, headers: []string{"X-Trouble", "1"}, status: 503, began: 1, cookies: []string{"a=1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			began = 0
			a := front.Post("/begin", test.body, test.headers...)
			switch got := a.Header.Values("Set-Cookie"); {
			case a.Status != test.status:
				t.Errorf("a.Status = %v, want %v", a.Status, test.status)
			case began != test.began:
				t.Errorf("began = %v, want %v", began, test.began)
			case !slices.Equal(got, test.cookies):
				t.Errorf("got = %v, want %v", got, test.cookies)
			}
		})
	}
}

func TestDecode_unknownMemberName(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	for member, pointer := range map[string]string{
		"kitchen":               "/kitchen",
		"zahra@example.com":     "",
		"+93 70 123 4567":       "",
		"زهرا":                  "",
		strings.Repeat("a", 41): "",
	} {
		t.Run(member, func(t *testing.T) {
			a := front.Post(bookings, `{"guest":{"name":"x"},"nights":[],"`+member+`":1}`)
			v := a.Problem().Violations
			switch {
			case a.Status != 400:
				t.Errorf("a.Status = %v, want 400", a.Status)
			case len(v) != 1:
				t.Errorf("len(v) = %v, want 1", len(v))
			case v[0].Pointer != pointer:
				t.Errorf("v[0].Pointer = %v, want %v", v[0].Pointer, pointer)
			case v[0].Rule != "unknown":
				t.Errorf(`v[0].Rule = %q, want "unknown"`, v[0].Rule)
			}
		})
	}
}
