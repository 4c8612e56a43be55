package deployment_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// first is the function that a load balancer leads to: that of the first route that matches.
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

// frontDoor is that of the local cloud, with functions that only say who they are.
func frontDoor(t *testing.T, functions []fn.Function) http.Handler {
	t.Helper()
	mux, err := fn.Mux(functions, func(f fn.Function) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Function", f.Spec.Name) }), nil
	})
	must(t, err)
	return mux
}

// ask is the function that answers.
func ask(mux http.Handler, method, path string) string {
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer.Header().Get("X-Function")
}

// misled are the requests that the edge leads to another function than the front server of the local cloud does. Each route is asked
// for with every word that stands anywhere in the place of what may be anything.
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

// paths are what a route can be asked for: with a word that is nowhere else, and with those of the other routes.
func paths(routes []deployment.Route, r deployment.Route) []string {
	words := map[string]bool{"anything": true}
	for _, other := range routes {
		for _, word := range strings.Split(other.Template, "/") {
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

func TestTheEdgeLeadsWhereTheFrontDoorDoes(t *testing.T) {
	t.Parallel()
	overlapping := []fn.Function{
		{Spec: fn.Spec{Name: "a-any", Route: "GET /things/{id}"}}, {Spec: fn.Spec{Name: "a-own", Route: "GET /things/own"}},
		{Spec: fn.Spec{Name: "a-part", Route: "GET /things/{id}/part"}}, {Spec: fn.Spec{Name: "a-new", Route: "POST /things/new"}},
	}
	for _, functions := range [][]fn.Function{melmastoon.Functions, overlapping} {
		if wrong := misled(t, functions, deployment.Routes(functions)); len(wrong) > 0 {
			t.Errorf("%d are led astray: %v", len(wrong), wrong[0])
		}
	}
	backwards := deployment.Routes(overlapping)
	slices.Reverse(backwards)
	if len(misled(t, overlapping, backwards)) == 0 {
		t.Error("nobody is led astray by routes in the wrong order: the test sees nothing")
	}
}

// TestRoutesOnATenantsOwnHostAreAnswered asks the front server, which knows from the functions where else they are reached.
func TestRoutesOnATenantsOwnHostAreAnswered(t *testing.T) {
	t.Parallel()
	mux := frontDoor(t, melmastoon.Functions)
	homes := 0
	for _, r := range whole(t).Routes {
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.Template, "/"), "*")
		home := "/api" + rest
		answered := ask(mux, r.Method, strings.ReplaceAll(home, "*", "anything")) == r.Function
		if answered != (r.Home == home) {
			t.Errorf("%s at %s: answered %v, and its place there is %q", r.Function, home, answered, r.Home)
		}
		if r.Home != "" {
			homes++
		}
	}
	if homes == 0 {
		t.Error("no route has a place on a tenant's own host")
	}
}
