// Package edge gives functions one address, like the load balancer in front of the deployed ones: it routes each request by its path
// and method.
//
// A path or method without a function goes to the function that the load balancer would choose, so a 405 names the
// methods of one function, as in a deployment.
package edge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// An edge finds the function of a request. The function itself answers a wrong path or method.
type edge struct {
	routes *http.ServeMux // functions by method and path
	paths  *http.ServeMux // one function of each path, for methods that no function of the path has
	lost   http.Handler   // for paths without a function
}

// A route leads to the handler of a function.
type route struct {
	method, path string
	handler      http.Handler
}

// A target is the handler of a function. Its type distinguishes it from the handlers with which ServeMux redirects unclean paths; the edge
// does not redirect.
type target struct{ http.Handler }

// New returns a handler with all functions at their production routes. A method that no function of a path has leads to the function of its
// alphabetically first method. A path without a function leads to the first function with an error page, or to the first function if none
// has one.
func New(fs []fn.Function, open func(fn.Function) (http.Handler, error)) (http.Handler, error) {
	e := &edge{routes: http.NewServeMux(), paths: http.NewServeMux(), lost: http.NotFoundHandler()}
	var all []route
	lost := fn.Spec{}
	for i, f := range fs {
		h, err := open(f)
		if err != nil {
			return nil, err
		}
		for _, pattern := range f.Spec.Patterns() {
			if err := add(e.routes, pattern, h); err != nil {
				return nil, fmt.Errorf("edge: %s: %w", f.Spec.Name, err)
			}
			method, path, _ := strings.Cut(pattern, " ")
			all = append(all, route{method: method, path: path, handler: h})
		}
		if i == 0 || lost.ErrorPage == nil && f.Spec.ErrorPage != nil {
			e.lost, lost = h, f.Spec
		}
	}
	slices.SortStableFunc(all, func(a, b route) int { return strings.Compare(a.method, b.method) })
	for _, r := range all {
		_ = add(e.paths, r.path, r.handler) // if the path has a function already, that one stays
	}
	return e, nil
}

// add registers a handler, or returns an error if the pattern is invalid or conflicts with another one.
func add(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if reason := recover(); reason != nil { // ServeMux panics
			err = fmt.Errorf("%v", reason)
		}
	}()
	mux.Handle(pattern, target{h})
	return nil
}

func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.find(r).ServeHTTP(w, r) }

// find returns the function of a request. A CORS preflight leads to the function of the method that it asks for.
func (e *edge) find(r *http.Request) http.Handler {
	probe := *r
	if asked := r.Header.Get("Access-Control-Request-Method"); r.Method == http.MethodOptions && asked != "" {
		probe.Method = asked
	}
	for _, mux := range []*http.ServeMux{e.routes, e.paths} {
		h, _ := mux.Handler(&probe)
		if function, ok := h.(target); ok {
			return function.Handler
		}
	}
	return e.lost
}
