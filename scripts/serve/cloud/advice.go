package cloud

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
)

// advised adds to the refusal of a page of another origin what its developer has to do. In production that would be no advice.
func advised(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, err := url.Parse(r.Header.Get("Origin")); err == nil && from.Host != "" && from.Host != r.Host {
			w = &advice{ResponseWriter: w}
		}
		next.ServeHTTP(w, r)
	})
}

const (
	refusal   = "Requests from other sites are not allowed."
	withProxy = refusal + " Let your development server forward them, as schemas/http/README.md shows."
)

// An advice is the response to a page of another origin.
type advice struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader notes a problem, and drops the length of its body, which may grow.
func (a *advice) WriteHeader(status int) {
	a.refused = status == http.StatusForbidden && strings.HasPrefix(a.Header().Get("Content-Type"), "application/problem+json")
	if a.refused {
		a.Header().Del("Content-Length")
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write writes the body. Functions write a problem at once.
func (a *advice) Write(body []byte) (int, error) {
	if !a.refused {
		return a.ResponseWriter.Write(body)
	}
	_, err := a.ResponseWriter.Write(bytes.Replace(body, []byte(refusal), []byte(withProxy), 1))
	return len(body), err
}

// Unwrap returns the writer for http.ResponseController.
func (a *advice) Unwrap() http.ResponseWriter { return a.ResponseWriter }
