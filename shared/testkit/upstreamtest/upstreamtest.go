// Package upstreamtest fakes the services that a function calls. A test decides whether they answer correctly, late, wrongly or
// not at all.
package upstreamtest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Behavior is the way in which a service answers.
type Behavior int

// The behaviors.
const (
	Working Behavior = iota
	Hanging          // until the caller gives up
	Failing
	Garbled // valid JSON of another shape
	Garbage // not JSON
	Endless // 10 MB
)

const endless = 10 << 20

// Services fakes several services at one address. Endpoints with the same name share a behavior.
type Services struct {
	garbled string // the answer for Garbled: of the expected type, but empty
	mux     *http.ServeMux
	server  *httptest.Server

	mu        sync.Mutex
	behaviors map[string]Behavior
	calls     map[string]int
	bodies    map[string]string
	before    func(name string)
}

// An Answer returns the answer to a request and its body, to be encoded as JSON. Nil means 404, and a Problem its status.
type Answer func(r *http.Request, body []byte) any

// A Problem is an answer that rejects a request.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
}

// Open starts the server, until the test ends.
func Open(t testing.TB, garbled string) *Services {
	t.Helper()
	n := &Services{garbled: garbled, mux: http.NewServeMux(), behaviors: map[string]Behavior{}, calls: map[string]int{}, bodies: map[string]string{}, before: func(string) {}}
	n.server = httptest.NewServer(n.mux)
	t.Cleanup(func() { n.server.CloseClientConnections(); n.server.Close() })
	return n
}

// Answers registers the answer to a pattern such as "GET /theme/brands" under a name. Answers are computed one at a time.
func (n *Services) Answers(pattern, name string, answer Answer) {
	n.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		in, _ := io.ReadAll(r.Body)
		var behavior Behavior
		var before func(string)
		var out any
		n.Do(func() {
			behavior, before = n.behaviors[name], n.before
			n.calls[name]++
			n.bodies[name] = string(in) + r.URL.RawQuery
			out = answer(r, in)
		})
		before(name)
		n.respond(w, r, behavior, out)
	})
}

func (n *Services) respond(w http.ResponseWriter, r *http.Request, behavior Behavior, out any) {
	switch {
	case behavior == Hanging:
		<-r.Context().Done()
	case behavior == Failing:
		w.WriteHeader(http.StatusInternalServerError)
	case behavior == Garbled:
		_, _ = w.Write([]byte(n.garbled))
	case behavior == Garbage:
		_, _ = w.Write([]byte("<html>"))
	case behavior == Endless:
		_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("x", endless) + `"}`))
	default:
		if out == nil {
			out = Problem{http.StatusNotFound, "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}
		}
		if p, ok := out.(Problem); ok {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(p.Status)
		}
		_ = json.MarshalWrite(w, out)
	}
}

// Around returns the environment with the URLs of these services added, each at /<service>.
func (n *Services) Around(e env.Env, services ...string) env.Env {
	for _, service := range services {
		e = e.With("UPSTREAM_"+strings.ToUpper(service)+"_URL", n.server.URL+"/"+service)
	}
	return e
}

// SetBehavior sets the behavior of the endpoints with a name.
func (n *Services) SetBehavior(name string, m Behavior) { n.Do(func() { n.behaviors[name] = m }) }

// Before sets a function that is called before each answer is sent, after it was computed.
func (n *Services) Before(f func(name string)) { n.Do(func() { n.before = f }) }

// Calls returns the number of requests to a name.
func (n *Services) Calls(name string) (times int) {
	n.Do(func() { times = n.calls[name] })
	return times
}

// AllCalls returns the number of requests to each name that was called. A test that compares it misses no unexpected call.
func (n *Services) AllCalls() (calls map[string]int) {
	n.Do(func() { calls = maps.Clone(n.calls) })
	return calls
}

// Body returns the body and query of the last request to a name.
func (n *Services) Body(name string) (body string) {
	n.Do(func() { body = n.bodies[name] })
	return body
}

// Do calls f while no answer is being computed.
func (n *Services) Do(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}
