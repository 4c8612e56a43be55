// Package upstreamtest plays the services that a function calls: they answer well, late, wrongly or not at all, as a test wants.
package upstreamtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Mood is how a neighbour answers.
type Mood int

// The moods.
const (
	Well    Mood = iota
	Hanging      // until the caller gives up
	Failing
	Garbled // something else than what was asked for
	Garbage // no JSON
	Endless // 10 MB
)

const endless = 10 << 20

// Services are services side by side at one address. What belongs to one mood is called by a name.
type Services struct {
	garbled string // what is answered instead: of the form that is expected, and empty
	mux     *http.ServeMux
	server  *httptest.Server

	mu     sync.Mutex
	moods  map[string]Mood
	asked  map[string]int
	bodies map[string]string
	before func(name string)
}

// An Answer is what a neighbour says to a request and its body, to be encoded as JSON; nil is that there is no such thing.
type Answer func(r *http.Request, body []byte) any

// Open opens their doors, until the test ends.
func Open(t testing.TB, garbled string) *Services {
	t.Helper()
	n := &Services{garbled: garbled, mux: http.NewServeMux(), moods: map[string]Mood{}, asked: map[string]int{}, bodies: map[string]string{}, before: func(string) {}}
	n.server = httptest.NewServer(n.mux)
	t.Cleanup(func() { n.server.CloseClientConnections(); n.server.Close() })
	return n
}

// Answers has what is asked for at a pattern, such as "GET /theme/brands", answered under a name. One answer is made at a time.
func (n *Services) Answers(pattern, name string, answer Answer) {
	n.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		in, _ := io.ReadAll(r.Body)
		var mood Mood
		var before func(string)
		var out any
		n.Do(func() {
			mood, before = n.moods[name], n.before
			n.asked[name]++
			n.bodies[name] = string(in) + r.URL.RawQuery
			out = answer(r, in)
		})
		before(name)
		n.say(w, r, mood, out)
	})
}

func (n *Services) say(w http.ResponseWriter, r *http.Request, mood Mood, out any) {
	switch {
	case mood == Hanging:
		<-r.Context().Done()
	case mood == Failing:
		w.WriteHeader(http.StatusInternalServerError)
	case mood == Garbled:
		_, _ = w.Write([]byte(n.garbled))
	case mood == Garbage:
		_, _ = w.Write([]byte("<html>"))
	case mood == Endless:
		_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("x", endless) + `"}`))
	case out == nil:
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND","detail":"No."}`))
	default:
		_ = json.MarshalWrite(w, out)
	}
}

// Around returns the surroundings with these services in them, each at /<service>.
func (n *Services) Around(e env.Env, services ...string) env.Env {
	for _, service := range services {
		e = e.With("UPSTREAM_"+strings.ToUpper(service)+"_URL", n.server.URL+"/"+service)
	}
	return e
}

// Mood changes how a name answers from now on.
func (n *Services) Mood(name string, m Mood) { n.Do(func() { n.moods[name] = m }) }

// Before has f called before each answer, after what it says is fixed.
func (n *Services) Before(f func(name string)) { n.Do(func() { n.before = f }) }

// Asked is how often a name was asked.
func (n *Services) Asked(name string) (times int) {
	n.Do(func() { times = n.asked[name] })
	return times
}

// Body is what a name was asked last: the body, then the query.
func (n *Services) Body(name string) (body string) {
	n.Do(func() { body = n.bodies[name] })
	return body
}

// Do changes what the neighbours know, while none of them makes an answer.
func (n *Services) Do(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}
