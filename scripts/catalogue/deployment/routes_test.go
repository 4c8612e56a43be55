package deployment_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// first returns the function to which a load balancer routes the request: that of the first matching route.
func first(routes []deployment.Route, method, path string) string {
	i := slices.IndexFunc(routes, func(r deployment.Route) bool { return r.Method == method && matches(r.Template, path) })
	if i < 0 {
		return ""
	}
	return routes[i].Function
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == "*" || w == g })
}

// frontDoor returns the local cloud's handler, with functions that respond with their name. A path without a function leads to lost.
func frontDoor(t *testing.T, functions []fn.Function) http.Handler {
	t.Helper()
	lost := fn.Function{Spec: fn.Spec{Name: "lost", Route: "GET /lost", ErrorPage: func(*http.Request, int, http.Header) []byte { return nil }}}
	mux, err := edge.New(slices.Concat([]fn.Function{lost}, functions), func(f fn.Function) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Function", f.Spec.Name) }), nil
	})
	check.Must(t, err)
	return mux
}

// ask returns the function that answers.
func ask(mux http.Handler, method, path string) string {
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer.Header().Get("X-Function")
}

// misled returns the requests that the edge and the local cloud route to different functions. Each route is tried with
// every literal part of any route in the place of its variable parts.
func misled(t *testing.T, functions []fn.Function, routes []deployment.Route) (wrong []string) {
	t.Helper()
	mux := frontDoor(t, functions)
	for _, r := range routes {
		for _, path := range paths(routes, r) {
			if got, want := first(routes, r.Method, path), ask(mux, r.Method, path); got != want {
				wrong = append(wrong, r.Method+" "+path+" leads to "+got+", want "+want)
			}
		}
	}
	return wrong
}

// paths returns paths of a route: with a unique word, and with the literal parts of the other routes.
func paths(routes []deployment.Route, r deployment.Route) []string {
	words := map[string]bool{"anything": true}
	for _, other := range routes {
		for word := range strings.SplitSeq(other.Template, "/") {
			if word != "*" && word != "" {
				words[word] = true
			}
		}
	}
	var all []string
	for word := range words {
		all = append(all, strings.ReplaceAll(r.Template, "*", word))
	}
	return all
}

func TestRoutes_likeServeMux(t *testing.T) {
	t.Parallel()
	overlapping := []fn.Function{
		{Spec: fn.Spec{Name: "a-any", Route: "GET /things/{id}"}}, {Spec: fn.Spec{Name: "a-own", Route: "GET /things/own"}},
		{Spec: fn.Spec{Name: "a-part", Route: "GET /things/{id}/part"}}, {Spec: fn.Spec{Name: "a-new", Route: "POST /things/new"}},
	}
	for name, functions := range map[string][]fn.Function{"catalogue": melmastoon.Functions, "overlapping routes": overlapping} {
		t.Run(name, func(t *testing.T) {
			if wrong := misled(t, functions, deployment.Routes(functions)); len(wrong) > 0 {
				t.Errorf("%d requests reach the wrong function, want 0: %v", len(wrong), wrong[0])
			}
		})
	}
	backwards := deployment.Routes(overlapping)
	slices.Reverse(backwards)
	if len(misled(t, overlapping, backwards)) == 0 {
		t.Error("the test does not detect routes in the wrong order")
	}
}

// TestRoutes_tenantHost sends requests to the front server, which derives the paths on a tenant's own
// host from the functions.
func TestRoutes_tenantHost(t *testing.T) {
	t.Parallel()
	mux := frontDoor(t, melmastoon.Functions)
	homes := 0
	for _, r := range whole(t).Routes {
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.Template, "/"), "*")
		home := "/api" + rest
		answered := ask(mux, r.Method, strings.ReplaceAll(home, "*", "anything")) == r.Function
		check.Equal(t, answered, r.Home == home, "%s at %s is answered", r.Function, home)
		if r.Home != "" {
			homes++
		}
	}
	if homes == 0 {
		t.Error("no route has a place on a tenant's own host")
	}
}
