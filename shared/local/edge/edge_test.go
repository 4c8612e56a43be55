package edge_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// function returns a function that is never opened.
func function(name, route string) fn.Function {
	return fn.Function{Spec: fn.Spec{Name: name, Route: route}}
}

// named is the handler of a function that answers with its name.
func named(f fn.Function) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Function", f.Spec.Name) }), nil
}

func TestNew_routes(t *testing.T) {
	t.Parallel()
	page, shop := function("page", "GET /pages"), function("shop", "GET /v1/{hotel}/rooms")
	page.Spec.ErrorPage = func(*http.Request, int, http.Header) []byte { return nil }
	shop.Spec.HostWildcard = "hotel"
	h, err := edge.New([]fn.Function{
		function("change", "PATCH /things/{name}"), function("read", "GET /things/{thing}"), function("hold", "POST /things/holds"), page, shop,
		{Spec: fn.Spec{Name: "consume", Subject: "a.b.c.v1"}},
	}, named)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ method, path, asked, want string }{
		{"GET", "/things/1", "", "read"},
		{"HEAD", "/things/1", "", "read"},
		{"PATCH", "/things/1", "", "change"},
		{"POST", "/things/holds", "", "hold"},
		{"GET", "/things/holds", "", "read"},
		{"GET", "/v1/kabul/rooms", "", "shop"},
		{"GET", "/api/rooms", "", "shop"},
		{"POST", "/internal/events/consume", "", "consume"},
		{"DELETE", "/things/1", "", "read"},
		{"DELETE", "/things/holds", "", "hold"},
		{"OPTIONS", "/things/1", "", "read"},
		{"OPTIONS", "/things/1", "PATCH", "change"},
		{"OPTIONS", "/things/1", "DELETE", "read"},
		{"PATCH", "/things/1", "GET", "change"},
		{"GET", "/nowhere", "", "page"},
		{"GET", "//things/1", "", "page"},
		{"GET", "/a/../things/1", "", "page"},
		{"GET", "/things/1/", "", "page"},
	} {
		t.Run(strings.TrimSpace(test.method+" "+test.path+" "+test.asked), func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(test.method, test.path, nil)
			if test.asked != "" {
				r.Header.Set("Access-Control-Request-Method", test.asked)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := w.Header().Get("X-Function"); got != test.want {
				t.Errorf("led to %q, want %q", got, test.want)
			}
			if r.Method != test.method {
				t.Errorf("the method became %s", r.Method)
			}
		})
	}
}

func TestNew_lost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		functions []fn.Function
		want      string
		status    int
	}{
		{"no functions", nil, "", http.StatusNotFound},
		{"functions without pages", []fn.Function{function("first", "GET /a"), function("second", "GET /b")}, "first", http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h, err := edge.New(test.functions, named)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/nowhere", nil))
			if got := w.Header().Get("X-Function"); got != test.want {
				t.Errorf("led to %q, want %q", got, test.want)
			}
			if w.Code != test.status {
				t.Errorf("got status %d, want %d", w.Code, test.status)
			}
		})
	}
}

func TestNew_errors(t *testing.T) {
	t.Parallel()
	closed := errors.New("the database is closed")
	for _, test := range []struct {
		name      string
		functions []fn.Function
		open      func(fn.Function) (http.Handler, error)
		want      string
	}{
		{"a function that does not open", []fn.Function{function("first", "GET /a")}, func(fn.Function) (http.Handler, error) { return nil, closed }, closed.Error()},
		{"two functions of a route", []fn.Function{function("first", "GET /a"), function("second", "GET /a")}, named, "second: "},
		{"routes of which neither is more specific", []fn.Function{function("first", "GET /a/{x}/b"), function("second", "GET /a/c/{y}")}, named, "second: "},
		{"no route", []fn.Function{function("first", "")}, named, "first: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := edge.New(test.functions, test.open)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one about %q", err, test.want)
			}
		})
	}
}
