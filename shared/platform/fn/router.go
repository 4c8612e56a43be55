package fn

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
)

// A router serves one function at its routes. All other requests go to one handler, which distinguishes 404 from 405. ServeMux
// answers those with plain text, and redirects paths that are not clean.
type router struct {
	mux        *http.ServeMux
	paths      *http.ServeMux // all methods of the function's paths, for Allow
	notFound   http.Handler
	preflights *http.ServeMux // public routes, by the method that a CORS preflight asks for
}

// methods are the supported methods; GET includes HEAD.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// newRouter returns the router of a function. The frame runs its endpoint.
func newRouter(s Spec, f frame, end endpoint) (r *router, err error) {
	defer func() {
		if reason := recover(); reason != nil { // ServeMux panics on an invalid pattern
			err = fmt.Errorf("%v", reason)
		}
	}()
	r = &router{mux: http.NewServeMux(), paths: http.NewServeMux(), preflights: http.NewServeMux()}
	r.notFound = f.with(noRoute{r})
	r.mux.Handle("/", r.notFound)
	h := f.with(end)
	for _, pattern := range s.Patterns() {
		method, p, ok := strings.Cut(pattern, " ")
		if !ok || !strings.HasPrefix(p, "/") || !slices.Contains(methods, method) {
			return nil, fmt.Errorf("%q is not a method and a path", pattern)
		}
		r.mux.Handle(pattern, h)
		for _, m := range append(slices.Clone(s.Siblings), method) {
			r.paths.Handle(m+" "+p, r.notFound)
		}
		if s.Access == Public && s.Route != "" {
			r.preflights.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
				req.Method = http.MethodOptions
				h.ServeHTTP(w, req)
			})
		}
	}
	return r, nil
}

func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !clean(req.URL.Path) {
		r.notFound.ServeHTTP(w, req)
		return
	}
	if method := preflightMethod(req); method != "" {
		probe := *req
		probe.Method = method
		if _, pattern := r.preflights.Handler(&probe); pattern != "" {
			r.preflights.ServeHTTP(w, &probe)
			return
		}
	}
	r.mux.ServeHTTP(w, req)
}

// clean reports whether ServeMux would serve a path without a redirect.
func clean(p string) bool { return p == "/" || path.Clean(p) == strings.TrimSuffix(p, "/") }

// allowed returns the methods that have a route at the request's path.
func (r *router) allowed(req *http.Request) (found []string) {
	if !clean(req.URL.Path) {
		return nil
	}
	probe := *req
	for _, probe.Method = range methods {
		if _, pattern := r.paths.Handler(&probe); pattern != "" {
			found = append(found, probe.Method)
		}
	}
	return found
}

// noRoute is the endpoint of requests without a route.
type noRoute struct{ *router }

func (n noRoute) act(_ context.Context, r *http.Request, c *record) (answer, error) {
	if err := c.countAddress(); err != nil {
		return answer{}, err
	}
	allowed := n.allowed(r)
	if len(allowed) == 0 {
		return answer{}, fault.ErrNotFound
	}
	c.header.Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
	if r.Method == http.MethodOptions {
		return answer{Status: http.StatusNoContent}, nil
	}
	return answer{}, fault.ErrMethodNotAllowed
}
