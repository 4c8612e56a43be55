// Package edge gives functions one address, like the load balancer in front of the deployed ones: it routes each request by its path
// and method.
//
// A path or method without a function goes to the function that the load balancer would choose, so a 405 names the
// methods of one function, as in a deployment.
package edge

import (
	"fmt"
	"net/http"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// An edge finds the function of a request. The function itself answers a wrong path or method.
type edge struct {
	routes *http.ServeMux // functions by method and path
	paths  *http.ServeMux // the first function of each path, for methods that no function of the path has
	lost   http.Handler   // for paths without a function
}

// A target is the handler of a function. Its type distinguishes it from the handlers with which ServeMux redirects unclean paths; the edge
// does not redirect.
type target struct{ http.Handler }

// New returns a handler with all functions at their production routes. A path without a function leads to the first function with
// an error page, or to the first function if none has one.
func New(fs []fn.Function, open func(fn.Function) (http.Handler, error)) (http.Handler, error) {
	e := &edge{routes: http.NewServeMux(), paths: http.NewServeMux(), lost: http.NotFoundHandler()}
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
			_, path, _ := strings.Cut(pattern, " ")
			_ = add(e.paths, path, h) // if the path has a function already, that one stays
		}
		if i == 0 || lost.ErrorPage == nil && f.Spec.ErrorPage != nil {
			e.lost, lost = h, f.Spec
		}
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
