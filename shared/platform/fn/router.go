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

// A router is a ServeMux that never writes an answer of its own. All requests without a route go to one handler, which
// distinguishes 404 from 405. ServeMux answers those with plain text, and redirects paths that are not clean.
type router struct {
	mux        *http.ServeMux
	notFound   http.Handler
	preflights *http.ServeMux // public routes, by the method that a CORS preflight asks for
}

// methods are the supported methods; GET includes HEAD.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

func newRouter() *router {
	return &router{mux: http.NewServeMux(), preflights: http.NewServeMux()}
}

// mount registers a function's handler at all its routes.
func (r *router) mount(s Spec, h http.Handler) error {
	for _, pattern := range s.patterns() {
		if err := r.add(pattern, h); err != nil {
			return err
		}
		if s.Access == Public && s.Route != "" {
			r.preflights.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
				req.Method = http.MethodOptions
				h.ServeHTTP(w, req)
			})
		}
	}
	return nil
}

// add registers a handler for "METHOD /path".
func (r *router) add(pattern string, h http.Handler) (err error) {
	method, p, ok := strings.Cut(pattern, " ")
	if !ok || !strings.HasPrefix(p, "/") || !slices.Contains(methods, method) {
		return fmt.Errorf("%q is not a method and a path", pattern)
	}
	defer func() {
		if taken := recover(); taken != nil { // ServeMux panics on invalid and duplicate patterns
			err = fmt.Errorf("%v", taken)
		}
	}()
	r.mux.Handle(pattern, h)
	return nil
}

// end sets the handler of requests without a route. It is called once, last.
func (r *router) end(lost http.Handler) {
	r.notFound = lost
	r.mux.Handle("/", lost)
}

func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !clean(req.URL.Path) {
		r.notFound.ServeHTTP(w, req)
		return
	}
	if method := asks(req); method != "" {
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
		if _, pattern := r.mux.Handler(&probe); pattern != "" && pattern != "/" {
			found = append(found, probe.Method)
		}
	}
	return found
}

// noRoute is the endpoint of requests without a route.
type noRoute struct{ *router }

func (n noRoute) act(_ context.Context, r *http.Request, c *record) (answer, error) {
	if err := c.arrive(); err != nil {
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

// Mux returns a handler with all functions at their production routes on one address, for local use. A request without a route
// gets the same answer as from the first function with an error page, or as from any function if none has one.
func Mux(fs []Function, open func(Function) (http.Handler, error)) (http.Handler, error) {
	r, lost := newRouter(), Spec{}
	for _, f := range fs {
		h, err := open(f)
		if err != nil {
			return nil, err
		}
		if err := r.mount(f.Spec, h); err != nil {
			return nil, fmt.Errorf("fn: %s: %w", f.Spec.Name, err)
		}
		if lost.ErrorPage == nil {
			lost = f.Spec
		}
	}
	r.end(notFound(r, lost))
	return r, nil
}
