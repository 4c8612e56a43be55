package fn_test

import (
	"context"
	"fmt"
	"html/template"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func payBack[In any](context.Context, fn.Nothing, fn.Call[In]) (fn.Reply, error) {
	return fn.SeeOther.At("/done"), nil
}

func nothing(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Nothing, error) {
	return fn.Nothing{}, nil
}

func TestAnswer_reply(t *testing.T) {
	t.Parallel()
	type versioned struct {
		fn.Reply `json:"-"`
		A        int `json:"a"`
	}
	give := func(v versioned) fn.Function {
		return answering(func(context.Context) (versioned, error) { return v, nil })
	}
	for _, test := range []struct {
		name   string
		f      fn.Function
		ask    []string
		status int
		body   string
		header map[string]string
	}{
		{"no headers of its own", give(versioned{A: 1}), nil, 200, `{"a":1}`, map[string]string{"Cache-Control": "no-store", "Content-Type": "application/json"}},
		{"created", give(versioned{Reply: fn.Created.At("/a/1"), A: 1}), nil, 201, `{"a":1}`, map[string]string{"Location": "/a/1"}},
		{"accepted", give(versioned{Reply: fn.Accepted.Reply(), A: 1}), nil, 202, `{"a":1}`, nil},
		{"accepted, and not done before", give(versioned{Reply: fn.Accepted.Reply().After(1500 * time.Millisecond)}), nil, 202, `{"a":0}`, map[string]string{"Retry-After": "2"}},
		{"from a cache", give(versioned{Reply: fn.Reply{}.FromCache("HIT").Cached("public, max-age=60")}), nil, 200, `{"a":0}`, map[string]string{"X-Cache": "HIT", "Cache-Control": "public, max-age=60"}},
		{"a version", give(versioned{Reply: fn.OK.Version(7)}), nil, 200, `{"a":0}`, map[string]string{"Etag": `"7"`, "Cache-Control": "private, no-cache"}},
		{"another version is known", give(versioned{Reply: fn.OK.Version(7)}), []string{"If-None-Match", `"6"`}, 200, `{"a":0}`, nil},
		{"this version is known", give(versioned{Reply: fn.OK.Version(7)}), []string{"If-None-Match", `"6", W/"7"`}, 304, ``, map[string]string{"Etag": `"7"`}},
		{"any version is known", give(versioned{Reply: fn.OK.Version(7)}), []string{"If-None-Match", `*`}, 304, ``, nil},
		{"encoded already", answering(func(context.Context) (fn.JSON, error) {
			return fn.JSON{Reply: fn.OK.Version(1), Body: []byte(`{"b":2}`)}, nil
		}), nil, 200, `{"b":2}`, map[string]string{"Content-Type": "application/json", "Etag": `"1"`}},
		{"a page", answering(func(context.Context) (fn.Page, error) {
			return fn.Page{Template: template.Must(template.New("").Parse(`<p>{{.}}</p>`)), Data: "<&>"}, nil
		}), nil, 200, `<p>&lt;&amp;&gt;</p>`, map[string]string{"Content-Type": "text/html; charset=utf-8"}},
		{"a file", answering(func(context.Context) (fn.File, error) {
			return fn.File{Reply: fn.OK.Reply().Set("Content-Security-Policy", "script-src 'self'"), Type: "text/css", Body: []byte("p{}")}, nil
		}), nil, 200, `p{}`, map[string]string{"Content-Type": "text/css", "Content-Security-Policy": "script-src 'self'"}},
		{"an empty list is a list", answering(func(context.Context) (map[string][]int, error) {
			return map[string][]int{"list": nil}, nil
		}), nil, 200, `{"list":[]}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := open(t, test.f).Get("/answer", test.ask...)
			check.Equal(t, a.Status, test.status)
			check.Equal(t, string(a.Body), test.body)
			for name, want := range test.header {
				check.Equal(t, a.Header.Get(name), want, "%s", name)
			}
		})
	}
}

func TestAnswer_notEncodable(t *testing.T) {
	t.Parallel()
	a := open(t, answering(func(context.Context) (any, error) { return struct{ F func() }{}, nil })).Get("/answer")
	a.WantProblem(t, 500, "GENERAL.INTERNAL")
}

func TestAnswer_safeHeaders(t *testing.T) {
	t.Parallel()
	front := open(t, answering(func(context.Context) (fn.Nothing, error) { return fn.Nothing{}, nil }), bookFunction)
	for _, a := range []struct{ method, path string }{{"GET", "/answer"}, {"POST", "/answer"}, {"GET", "/nowhere"}, {"POST", bookings}} {
		t.Run(fmt.Sprint(a.method, " ", a.path), func(t *testing.T) {
			got := front.Send(a.method, a.path, nil)
			for _, name := range []string{"X-Content-Type-Options", "Referrer-Policy", "Strict-Transport-Security", "Content-Security-Policy", "Cache-Control", "X-Request-Id"} {
				t.Run(name, func(t *testing.T) {
					if got.Header.Get(name) == "" {
						t.Errorf("%s %s: %d without %s", a.method, a.path, got.Status, name)
					}
				})
			}
		})
	}
}
