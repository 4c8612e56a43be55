package fn_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func TestRoute_notFound(t *testing.T) {
	t.Parallel()
	read := serve(fn.Spec{Name: "test-read", Route: "GET /things/{thing}"}, func(_ context.Context, _ fn.Nothing, c fn.Call[struct {
		Thing string `path:"thing"`
	}]) (map[string]string, error) {
		return map[string]string{"thing": c.In.Thing}, nil
	})
	change := serve(fn.Spec{Name: "test-change", Route: "PATCH /things/{thing}"}, payBack[struct {
		Thing string `path:"thing"`
	}])
	hold := serve(fn.Spec{Name: "test-hold", Route: "POST /things/holds"}, nothing)
	pay := serve(fn.Spec{Name: "test-pay", Route: "POST /bills", Siblings: []string{"GET"}}, nothing)
	drop := serve(fn.Spec{Name: "test-drop", Route: "DELETE /bills/{bill}", Siblings: []string{"PATCH", "PUT"}}, payBack[struct {
		Bill string `path:"bill"`
	}])
	front := open(t, read, change, hold, pay, drop)
	for _, test := range []struct {
		method, path string
		status       int
		allow, body  string
	}{
		{"PUT", "/bills", 405, "GET, HEAD, POST, OPTIONS", ""},
		{"GET", "/bills", 405, "GET, HEAD, POST, OPTIONS", ""}, // the load balancer sends it elsewhere
		{"OPTIONS", "/bills", 204, "GET, HEAD, POST, OPTIONS", ""},
		{"GET", "/bills/1", 405, "PUT, PATCH, DELETE, OPTIONS", ""},
		{"GET", "/bills/1/2", 404, "", ""},
		{"GET", "/things/1", 200, "", `{"thing":"1"}`},
		{"HEAD", "/things/1", 200, "", ""},
		{"GET", "/things/holds", 200, "", `{"thing":"holds"}`},
		{"PATCH", "/things/1", 303, "", ""},
		{"POST", "/things/1", 405, "GET, HEAD, OPTIONS", ""},
		{"DELETE", "/things/holds", 405, "POST, OPTIONS", ""},
		{"BREW", "/things/1", 405, "GET, HEAD, OPTIONS", ""},
		{"OPTIONS", "/things/1", 204, "GET, HEAD, OPTIONS", ""},
		{"OPTIONS", "/elsewhere", 404, "", ""},
		{"GET", "/", 404, "", ""},
		{"GET", "/things", 404, "", ""},
		{"GET", "/things/1/", 404, "", ""},
		{"GET", "//things/1", 404, "", ""},
		{"GET", "/a/../things/1", 404, "", ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			a := front.Send(test.method, test.path, nil)
			check.Equal(t, a.Status, test.status, "%s", a.Body)
			check.Equal(t, a.Header.Get("Allow"), test.allow)
			if test.status >= 400 && a.Problem().Status != test.status {
				t.Errorf("not a problem: %s", a.Body)
			}
			if test.body != "" && string(a.Body) != test.body {
				t.Errorf("got %s, want %s", a.Body, test.body)
			}
		})
	}
}

// A browser that asks for a path without a function, or for a page with a wrong method, gets an error page.
func TestRoute_notFoundPage(t *testing.T) {
	t.Parallel()
	api := serve(fn.Spec{Name: "test-api", Route: "POST /things"}, nothing)
	page := serve(fn.Spec{Name: "test-page", Route: "GET /pages", ErrorPage: func(r *http.Request, status int, h http.Header) []byte {
		h.Set("Content-Type", "text/html")
		return fmt.Appendf(nil, "%d at %s", status, r.URL.Path)
	}}, nothing)
	form := serve(fn.Spec{Name: "test-form", Route: "POST /pages/new", ErrorPage: page.Spec.ErrorPage}, nothing)
	front := open(t, api, page, form)
	for _, test := range []struct{ name, path, accept, kind, body string }{
		{"browser", "/elsewhere", "text/html,*/*;q=0.8", "text/html", "404 at /elsewhere"},
		{"browser with a wrong method", "/pages/new", "text/html", "text/html", "405 at /pages/new"},
		{"browser with a wrong method of a function without pages", "/things", "text/html", "application/problem+json", ""},
		{"program", "/elsewhere", "*/*", "application/problem+json", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Get(test.path, "Accept", test.accept)
			check.Equal(t, a.Header.Get("Content-Type"), test.kind, "Content-Type")
			if test.body != "" && string(a.Body) != test.body {
				t.Errorf("body = %s, want %s", a.Body, test.body)
			}
		})
	}
}

func TestHandler_routes(t *testing.T) {
	t.Parallel()
	e, _ := fntest.Surround(t, env.Of(nil))
	h := check.Got(bookFunction.Handler(e)).Must(t)
	for _, test := range []struct {
		method, path string
		want         int
	}{{"POST", bookings, 415}, {"GET", bookings, 405}, {"POST", "/elsewhere", 404}} {
		t.Run(fmt.Sprint(test.want), func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(right)))
			check.Equal(t, w.Code, test.want, "%s %s: %s", test.method, test.path, w.Body)
		})
	}
}

func TestRoute_http(t *testing.T) {
	t.Parallel()
	e, _ := fntest.Surround(t, env.Of(nil))
	h := check.Got(answering(func(context.Context) (map[string]int, error) { return map[string]int{"a": 1}, nil }).Handler(e)).Must(t)
	server := httptest.NewServer(h)
	defer server.Close()
	res := check.Got(http.Head(server.URL + "/answer")).Must(t)
	defer res.Body.Close()
	check.Equal(t, res.StatusCode, http.StatusOK, "HEAD")
	check.Equal(t, res.ContentLength, int64(len(`{"a":1}`)), "HEAD")
}

func TestSpec_invalid(t *testing.T) {
	t.Parallel()
	e, _ := fntest.Surround(t, env.Of(nil))
	for _, test := range []struct {
		name string
		f    fn.Function
		want string
	}{
		{"no name", serve(fn.Spec{Route: "POST /a"}, nothing), "name"},
		{"no kind", serve(fn.Spec{Name: "a"}, nothing), "exactly one"},
		{"two kinds", serve(fn.Spec{Name: "a", Route: "POST /a", Schedule: "* * * * *"}, nothing), "exactly one"},
		{"a route without a method", serve(fn.Spec{Name: "a", Route: "/a"}, nothing), "method"},
		{"a route with a bad pattern", serve(fn.Spec{Name: "a", Route: "POST /a/{"}, nothing), "wildcard"},
		{"an unread wildcard", serve(fn.Spec{Name: "a", Route: "POST /a/{b}"}, nothing), "path fields"},
		{"a field from nowhere", serve(fn.Spec{Name: "a", Route: "POST /a"}, payBack[struct{ A string }]), "no source tag"},
		{"a field of a type that is no text", serve(fn.Spec{Name: "a", Route: "GET /a"}, payBack[struct {
			A []int `query:"a"`
		}]), "not supported"},
		{"an unknown option", serve(fn.Spec{Name: "a", Route: "GET /a"}, payBack[struct {
			A int `query:"a,omitempty"`
		}]), "tag"},
		{"a form and members", serve(fn.Spec{Name: "a", Route: "POST /a"}, payBack[struct {
			A int `form:"a"`
			B int `json:"b"`
		}]), "form"},
		{"idempotent without a ledger", serve(fn.Spec{Name: "a", Route: "POST /a", Idempotent: true}, nothing), "ledger"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := test.f.Handler(e); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want something about %q", err, test.want)
			}
		})
	}
}
